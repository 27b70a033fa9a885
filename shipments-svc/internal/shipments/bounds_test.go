package shipments

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/limit"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
)

// TestAShipmentIsBoundedByLinesAndBytes of its pallets, and not only by how many it has.
func TestAShipmentIsBoundedByLinesAndBytes(t *testing.T) {
	t.Parallel()
	lines := func(n, of int) Pallet {
		return Pallet{Contents: slices.Repeat([]list.Content{{Particulars: list.Particulars{Labels: list.Labels{
			Lot: strings.Repeat("x", of),
		}}}}, n)}
	}
	for name, c := range map[string]struct {
		has, attached []Pallet
		want          string
	}{
		"as many lines as may be":         {[]Pallet{lines(10_000, 0)}, []Pallet{lines(9_999, 0), {}}, ""},
		"one line more":                   {[]Pallet{lines(10_000, 0)}, []Pallet{lines(10_000, 0), {}}, "20000 lines"},
		"too many bytes":                  {[]Pallet{lines(9_000, 400)}, []Pallet{lines(9_000, 400)}, "8388608 bytes"},
		"of a shipment that had too many": {nil, []Pallet{{}}, "Delete documents"},
		"nothing":                         {nil, nil, ""},
	} {
		r := Revision{pallets: c.has, To: Shipment{PalletsCount: 1}}
		if got := r.beyond(c.attached, 0); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestAShipmentThatIsTooLargeCanBeChanged, and says what to do: its pallets were stored before they were bounded.
func TestAShipmentThatIsTooLargeCanBeChanged(t *testing.T) {
	t.Parallel()
	k := at(ReadyForReview)
	k.tooLarge, k.pallets = true, []Pallet{plum, plum}
	k.documents = []Document{{ID: DocumentID{1}, Kind: CSV, Type: PackingList, Status: Processed}}
	k.pallets[0].Source.Document = DocumentID{1}
	s, o := service(k), Order{ID: k.head.ID}
	_, update := s.Update(t.Context(), OrgID{}, Edit{Order: o, Texts: map[string]string{"vessel": "MSC Anna"}})
	_, reprocess := s.Reprocess(t.Context(), OrgID{}, DocumentOrder{Order: o, Document: DocumentID{1}})
	_, detach := s.Detach(t.Context(), OrgID{}, DocumentOrder{Order: o, Document: DocumentID{1}})
	_, reject := s.Reject(t.Context(), OrgID{}, Rejection{Order: o, Reason: "It is not ours"})
	k.head.Status = ReadyForReview
	_, approve := s.Approve(t.Context(), OrgID{}, Approval{Order: o, Override: new("Counted by hand")})
	for action, err := range map[string]error{
		"update": update, "reprocess": reprocess, "detach": detach, "approve": approve, "reject": reject,
	} {
		if err != nil {
			t.Errorf("%s: %v", action, err)
		}
	}
	for i, want := range []int{2, 2, 1} {
		if r := k.revisions[i]; r.To.PalletsCount != want || i != 1 && r.Checks[0].Name != "shipment_size" {
			t.Errorf("%s: %d pallets, %+v", r.Entry.Action, r.To.PalletsCount, r.Checks)
		}
	}
}

// TestWhatADocumentStatesIsBounded in bytes, and what is left out is counted.
func TestWhatADocumentStatesIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Ł", list.MaxFactText)
	facts, remarks := stated(
		slices.Repeat([]list.Fact{{Text: long}}, 50), slices.Repeat([]list.Remark{{Text: long}}, list.MaxRemarks))
	if n := len(remarks); len(facts) != 50 || n != 60 || remarks[n-1].Text != "541 further remarks are not kept" {
		t.Errorf("%d facts, %d remarks, %s", len(facts), n, remarks[n-1].Text)
	}
}

// failing is a repository with a large shipment that cannot be read.
type failing struct{ *fakeRepository }

func (failing) Get(_ context.Context, _ OrgID, _ ID, _ Parts, atMost int64) (Detail, error) {
	if atMost < MaxBytes {
		return Detail{Bytes: MaxBytes}, nil
	}
	return Detail{}, ErrUnavailable
}

// TestAReadThatFailsHoldsNoMemory, with live or with test tokens, which have one share.
func TestAReadThatFailsHoldsNoMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewService(Needs{Repository: failing{at(Pending)}, Now: time.Now})
		live, test := OrgID{1}, OrgID{0xe1}
		for range 5 {
			if _, err := s.Get(t.Context(), live, GetQuery{}); !errors.Is(err, ErrUnavailable) {
				t.Error(err)
			}
			edit := Edit{Texts: map[string]string{"vessel": "A"}}
			if _, err := s.Update(t.Context(), live, edit); !errors.Is(err, ErrUnavailable) {
				t.Error(err)
			}
		}
		release, err := s.reads.Acquire(t.Context(), OrganizationOf(live), reads.Each)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Get(t.Context(), test, GetQuery{}); !errors.Is(err, limit.ErrShare) {
			t.Errorf("with a test token: %v", err)
		}
		release()
	})
}

// large is a repository with a large shipment, which counts the transactions that are open.
type large struct {
	*fakeRepository
	open atomic.Int64
}

func (k *large) Get(ctx context.Context, org OrgID, id ID, p Parts, atMost int64) (Detail, error) {
	if atMost < MaxBytes {
		return Detail{Bytes: MaxBytes}, nil
	}
	return k.fakeRepository.Get(ctx, org, id, p, atMost)
}

func (k *large) Once(
	ctx context.Context, org OrgID, key Key, now time.Time, do func(context.Context) ([]byte, error),
) ([]byte, bool, error) {
	k.open.Add(1)
	defer k.open.Add(-1)
	return k.fakeRepository.Once(ctx, org, key, now, do)
}

// TestNoTransactionWaitsForMemory: a decision with a key waits before it takes a connection.
func TestNoTransactionWaitsForMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := &large{fakeRepository: at(ReadyForReview)}
		s, org := NewService(Needs{Repository: k, Now: time.Now}), OrgID{1}
		all := func() func() {
			release, err := s.reads.Acquire(t.Context(), OrganizationOf(org), reads.Each)
			if err != nil {
				t.Error(err)
			}
			return release
		}
		release, decided := all(), make(chan error)
		go func() {
			_, _, err := s.Once(t.Context(), org, Key{}, func(ctx context.Context) ([]byte, error) {
				_, err := s.Reject(ctx, org, Rejection{Reason: "wet"})
				return nil, err
			})
			decided <- err
		}()
		synctest.Wait()
		if n := k.open.Load(); n != 0 {
			t.Errorf("%d transactions wait", n)
		}
		release()
		if err := <-decided; err != nil || len(k.revisions) != 1 {
			t.Errorf("%v, %d revisions", err, len(k.revisions))
		}
		all()()
	})
}
