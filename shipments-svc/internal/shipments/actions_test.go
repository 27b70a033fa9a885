package shipments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
)

// at is a shipment in a status, of version 4, that has a failing check or not.
func at(status Status, failing ...string) *fakeRepository {
	s := Shipment{
		ID:        ID{1},
		Draft:     good,
		Status:    status,
		Version:   4,
		CreatedAt: start.UTC().Truncate(time.Millisecond).AddDate(0, 0, -1),
	}
	if status == Approved {
		s.ApprovedAt = s.CreatedAt
	}
	k := &fakeRepository{head: Head{Shipment: s}}
	for _, name := range failing {
		k.checks = append(k.checks, Check{Name: name, Result: Fail})
	}
	return k
}

// do does an action that is fine by itself.
func do(s *Service, a Action, o Order) (err error) {
	ctx := context.Background()
	switch a {
	case Update:
		_, err = s.Update(ctx, OrgID{1}, Edit{Order: o, Texts: map[string]string{"vessel": "Maersk Lavras"}})
	case Approve:
		_, err = s.Approve(ctx, OrgID{1}, Approval{Order: o})
	case Reject:
		_, err = s.Reject(ctx, OrgID{1}, Rejection{Order: o, Reason: "wet boxes"})
	case Delete:
		_, err = s.Delete(ctx, OrgID{1}, o)
	case AttachDocument:
		_, err = s.Attach(ctx, OrgID{1}, Attachment{Order: o, Type: PackingList, Pallets: []Pallet{plum}})
	case DeleteDocument:
		_, err = s.Detach(ctx, OrgID{1}, DocumentOrder{Order: o, Document: DocumentID{1}})
	case ReprocessDocument:
		_, err = s.Reprocess(ctx, OrgID{1}, DocumentOrder{Order: o, Document: DocumentID{1}})
	case UpdateDocument:
		_, err = s.UpdateDocument(ctx, OrgID{1}, DocumentEdit{DocumentOrder{Order: o, Document: DocumentID{1}}, BillOfLading})
	case CorrectMapping:
		_, err = s.CorrectMapping(ctx, OrgID{1}, Correction{
			DocumentOrder: DocumentOrder{Order: o, Document: DocumentID{1}},
			Mappings:      []Assignment{{Assignment: list.Assignment{NumberStyle: list.PointStyle}}},
		})
	default:
		err = fmt.Errorf("no action %q", a)
	}
	return err
}

// TestTheStateMachine does every action in every status.
func TestTheStateMachine(t *testing.T) {
	t.Parallel()
	const no = "no"
	for status, becomes := range map[Status]map[Action]Status{
		Pending: {
			Update: Pending, Approve: no, Reject: Rejected, Delete: gone,
			AttachDocument: ReadyForReview, ReprocessDocument: Processing, CorrectMapping: Processing,
			UpdateDocument: Processing, DeleteDocument: Pending,
		},
		Processing: {
			Update: Processing, Approve: no, Reject: no, Delete: no,
			AttachDocument: ReadyForReview, ReprocessDocument: Processing, CorrectMapping: Processing,
			UpdateDocument: Processing, DeleteDocument: Pending,
		},
		ReadyForReview: {
			Update: ReadyForReview, Approve: Approved, Reject: Rejected, Delete: no,
			AttachDocument: ReadyForReview, ReprocessDocument: Processing, CorrectMapping: Processing,
			UpdateDocument: Processing, DeleteDocument: Pending,
		},
		Approved: {
			Update: no, Approve: Approved, Reject: no, Delete: no, AttachDocument: no, ReprocessDocument: no,
			CorrectMapping: no, UpdateDocument: no, DeleteDocument: no,
		},
		Rejected: {
			Update: Rejected, Approve: no, Reject: no, Delete: no,
			AttachDocument: ReadyForReview, ReprocessDocument: Processing, CorrectMapping: Processing,
			UpdateDocument: Processing, DeleteDocument: Pending,
		},
	} {
		for _, a := range Actions {
			k := at(status)
			k.documents = []Document{{
				ID: DocumentID{1}, Type: PackingList, Kind: CSV, Status: Processed, Filename: "l.csv", ContentType: CSVMedia,
			}}
			before := k.head.Shipment
			err := do(service(k), a, Order{By: Actor{ID: "tok_1"}})
			refused, isRefused := errors.AsType[*TransitionError](err)
			switch want := becomes[a]; {
			case want == no:
				if !isRefused || refused.Action != a || refused.Status != status || slices.Contains(refused.Allowed, a) ||
					k.head.Shipment != before || k.deleted {
					t.Errorf("%s while %s: %v, %+v", a, status, err, k.head)
				}
			case want == gone:
				if err != nil || !k.deleted {
					t.Errorf("%s while %s: %v", a, status, err)
				}
			case err != nil || k.head.Status != want:
				t.Errorf("%s while %s: %v, %s", a, status, err, k.head.Status)
			}
			if (k.head.Status == Approved) != !k.head.ApprovedAt.IsZero() {
				t.Errorf("%s while %s: approved at %s", a, status, k.head.ApprovedAt)
			}
		}
	}
}

func TestTransitionErrorListsTheAllowedActions(t *testing.T) {
	t.Parallel()
	const documents = "attach_document, update_document, reprocess_document, correct_mapping, delete_document"
	for status, want := range map[Status]string{
		Pending:        "update, " + documents + ", reject, delete",
		Processing:     "update, " + documents,
		ReadyForReview: "update, " + documents + ", approve, reject",
		Approved:       "approve",
		Rejected:       "update, " + documents,
	} {
		err := &TransitionError{Action: AttachDocument, Status: status, Allowed: Allowed(status)}
		text := fmt.Sprintf("attaching a document is not allowed while the status is %s; allowed: %s", status, want)
		if err.Error() != text {
			t.Errorf("%v, want %s", err, text)
		}
	}
	if err := (&TransitionError{Action: "x", Status: "y", Allowed: Allowed("y")}); !strings.HasSuffix(
		err.Error(), "allowed: nothing",
	) ||
		err.Allowed == nil {
		t.Errorf("%v", err)
	}
}

func TestEachChangeIncrementsTheVersionAndIsInTheHistory(t *testing.T) {
	t.Parallel()
	now := start.UTC().Truncate(time.Millisecond)
	for a, want := range map[Action]Entry{
		Update:  {Action: Update, Status: ReadyForReview, Changes: []Change{{"vessel", "MSC Carmen", "Maersk Lavras"}}},
		Approve: {Action: Approve, Status: Approved},
		Reject:  {Action: Reject, Status: Rejected, Reason: "wet boxes"},
	} {
		k := at(ReadyForReview)
		if err := do(service(k), a, Order{By: Actor{ID: "tok_1"}, Expects: versions(2, 4)}); err != nil {
			t.Fatal(err)
		}
		want.Version, want.At, want.By = 5, now, Actor{ID: "tok_1"}
		if got := fmt.Sprintf("%+v", k.entries); got != fmt.Sprintf("%+v", []Entry{want}) || k.head.Version != 5 {
			t.Errorf("%s: version %d, %s, want %+v", a, k.head.Version, got, want)
		}
	}
}

// versions is an expectation of one of these.
func versions(expected ...int64) func(int64) bool {
	return func(version int64) bool { return slices.Contains(expected, version) }
}

func TestAnActionForAnotherVersionIsRefused(t *testing.T) {
	t.Parallel()
	for _, expected := range [][]int64{{}, {3}, {5, 6}} {
		for _, a := range Actions {
			k := at(ReadyForReview)
			k.documents = []Document{{ID: DocumentID{1}}}
			if err := do(service(k), a, Order{Expects: versions(expected...)}); !errors.Is(err, ErrVersion) ||
				k.entries != nil || k.revisions != nil || k.deleted {
				t.Errorf("%s for %v: %v", a, expected, err)
			}
		}
	}
}

// TestVersionConflictIsRetried: the new version decides, and the own
// expectation with it.
func TestVersionConflictIsRetried(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		expects func(int64) bool
		by      Status
		refused error
	}{
		"by an update":                    {by: ReadyForReview},
		"by a rejection":                  {by: Rejected, refused: &TransitionError{}},
		"by an update, expecting his own": {expects: versions(4), by: ReadyForReview, refused: ErrVersion},
	} {
		r := &racer{fakeRepository: at(ReadyForReview), by: c.by}
		_, err := NewService(
			Needs{Repository: r, Now: func() time.Time { return start }},
		).Approve(t.Context(), OrgID{1}, Approval{Order: Order{Expects: c.expects}})
		_, isTransition := errors.AsType[*TransitionError](c.refused)
		refused, ok := errors.AsType[*TransitionError](err)
		switch {
		case isTransition:
			if !ok || refused.Status != c.by {
				t.Errorf("%s: %v", name, err)
			}
		case !errors.Is(err, c.refused):
			t.Errorf("%s: %v, want %v", name, err, c.refused)
		case c.refused == nil && (r.head.Status != Approved || r.head.Version != 6):
			t.Errorf("%s: %+v", name, r.head)
		}
	}
}

// racer is a fakeRepository whose shipment someone else changes once, just before a
// change is stored.
type racer struct {
	*fakeRepository
	by   Status
	done bool
}

func (r *racer) Revise(ctx context.Context, org OrgID, revision Revision) error {
	if !r.done {
		r.done = true
		r.head.Status, r.head.Version = r.by, r.head.Version+1
	}
	return r.fakeRepository.Revise(ctx, org, revision)
}

func TestApprovalOverFailingChecksNeedsAReason(t *testing.T) {
	t.Parallel()
	k := at(ReadyForReview, "duplicate_pallets", "calibre_known")
	_, err := service(k).Approve(t.Context(), OrgID{1}, Approval{})
	failing, ok := errors.AsType[*ChecksFailingError](err)
	if !ok || len(failing.Checks) != 2 || !strings.Contains(err.Error(), "duplicate_pallets, calibre_known") ||
		k.entries != nil {
		t.Errorf("%v", err)
	}
	s, err := service(k).Approve(t.Context(), OrgID{1}, Approval{Override: new("counted by hand")})
	if err != nil || s.Status != Approved || k.entries[0].Reason != "counted by hand" {
		t.Errorf("%v, %+v", err, k.entries)
	}
}

// TestApprovingTwiceIsApprovingOnce, whatever the second approval expects.
func TestApprovingTwiceIsApprovingOnce(t *testing.T) {
	t.Parallel()
	k := at(ReadyForReview)
	first, err := service(k).Approve(t.Context(), OrgID{1}, Approval{})
	if err != nil {
		t.Fatal(err)
	}
	second, err := service(k).Approve(t.Context(), OrgID{1}, Approval{Order: Order{Expects: versions(4)}})
	if err != nil || second != first || len(k.entries) != 1 {
		t.Errorf("%v: %+v, %d entries", err, second, len(k.entries))
	}
}

// TestAChangeIsTimed, and never before the change that precedes it, which another machine may have timed.
func TestAChangeIsTimed(t *testing.T) {
	t.Parallel()
	now := start.UTC().Truncate(time.Millisecond)
	for before, want := range map[time.Duration]time.Time{-time.Minute: now, time.Minute: now.Add(time.Minute)} {
		k := at(ReadyForReview)
		k.head.UpdatedAt = now.Add(before)
		s, err := service(k).Approve(t.Context(), OrgID{1}, Approval{})
		if err != nil || s.UpdatedAt != want || s.ApprovedAt != want || k.entries[0].At != want {
			t.Errorf("%s: updated %s, approved %s (%v)", before, s.UpdatedAt, s.ApprovedAt, err)
		}
	}
}

func TestAnUpdateThatChangesNothingIsNone(t *testing.T) {
	t.Parallel()
	for _, e := range []Edit{{}, {Texts: map[string]string{"vessel": good.Vessel, "origin": good.Origin}}} {
		k := at(Pending)
		s, err := service(k).Update(t.Context(), OrgID{1}, e)
		if err != nil || s.Version != 4 || k.entries != nil {
			t.Errorf("%v: version %d, %+v", err, s.Version, k.entries)
		}
	}
}

func TestActionsAreValidated(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", MaxReason+1)
	for want, faults := range map[string][]Fault{
		"required /reason":          Rejection{Reason: " "}.Faults(),
		"too_long /reason":          Rejection{Reason: long}.Faults(),
		"required /override_reason": Approval{Override: new("")}.Faults(),
		"too_long /override_reason": Approval{Override: &long}.Faults(),
		"required /vessel":          Edit{Texts: map[string]string{"vessel": ""}}.Faults(),
		"too_long /destination":     Edit{Texts: map[string]string{"destination": long}}.Faults(),
		"":                          Edit{Texts: map[string]string{"reference": "r", "origin": "o"}}.Faults(),
	} {
		got := ""
		for _, f := range faults {
			got += fmt.Sprint(f.Code, " ", f.Pointer)
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	k := at(ReadyForReview)
	if _, err := service(k).Reject(t.Context(), OrgID{1}, Rejection{}); err == nil || k.entries != nil {
		t.Error("a rejection without a reason was stored")
	}
}

// TestDeletingADocumentKeepsARejection while the shipment has pallets of another.
func TestDeletingADocumentKeepsARejection(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from    Status
		pallets int
		want    Status
	}{{Rejected, 1, Rejected}, {Rejected, 0, Pending}, {ReadyForReview, 1, ReadyForReview}, {ReadyForReview, 0, Pending}} {
		if got, err := move(DeleteDocument, c.from, parts{pallets: c.pallets}); err != nil || got != c.want {
			t.Errorf("%s with %d pallets: %s, %v, want %s", c.from, c.pallets, got, err, c.want)
		}
	}
}

// crowded is a Repository in which changes meet: each waits until it may go on.
type crowded struct {
	*fakeRepository
	within atomic.Int64
	goOn   chan struct{}
}

func (c *crowded) Get(context.Context, OrgID, ID, Parts, int64) (Detail, error) {
	c.within.Add(1)
	<-c.goOn
	return Detail{}, ErrNotFound
}

func (c *crowded) Once(
	ctx context.Context, _ OrgID, _ Key, _ time.Time, do func(context.Context) ([]byte, error),
) ([]byte, bool, error) {
	answer, err := do(ctx)
	return answer, false, err
}

// TestChangesOfAnOrganizationWaitBeforeTheyTakeAConnection, in any way that leads to one, and no other waits for them.
func TestChangesOfAnOrganizationWaitBeforeTheyTakeAConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		repo := &crowded{fakeRepository: at(Pending), goOn: make(chan struct{})}
		s := service(repo.fakeRepository)
		s.repo = repo
		var all sync.WaitGroup
		reject := func(ctx context.Context, org OrgID) error {
			_, err := s.Reject(ctx, org, Rejection{Reason: "r"})
			return err
		}
		for range 20 {
			live, test := OrgID{0x01}, OrgID{0xe1}
			all.Go(func() { _ = reject(t.Context(), live) })
			all.Go(func() {
				rejecting := func(ctx context.Context) ([]byte, error) { return nil, reject(ctx, test) }
				_, _, _ = s.Once(t.Context(), test, Key{}, rejecting)
			})
		}
		synctest.Wait()
		if n := repo.within.Load(); n != changes.Each {
			t.Errorf("%d at once", n)
		}
		all.Go(func() { _ = reject(t.Context(), OrgID{2}) })
		synctest.Wait()
		if n := repo.within.Load(); n != changes.Each+1 {
			t.Errorf("%d with one of another organization", n)
		}
		close(repo.goOn)
		all.Wait()
	})
}
