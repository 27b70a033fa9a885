package shipments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
)

var (
	good  = Draft{Reference: "PO-1", Vessel: "MSC Carmen", Origin: "Valparaíso", Destination: "Rotterdam"}
	start = time.Date(2026, 11, 20, 12, 0, 0, 123_456_789, time.FixedZone("", 3600))
)

// fakeRepository is a Repository in memory.
type fakeRepository struct {
	Repository
	mu            sync.Mutex // of what is read at once
	filter        Filter
	offset, limit int64
	created       []Shipment
	by            Actor
	head          Head
	looked        func(*fakeRepository) // called before each look at the head
	entries       []Entry
	deleted       bool
	now           time.Time
	documents     []Document
	pallets       []Pallet
	tooLarge      bool // the pallets are not read
	checks        []Check
	evidence      Evidence
	revisions     []Revision
	ssccs         []string
	events        []Event
	feed          Feed
	files         shelf
	revising      error // of Revise
	reading       Reading
	readText      string
	templates     []Template
	unread        error
	err           error
}

func (k *fakeRepository) List(_ context.Context, _ OrgID, f Filter, offset, limit int64) ([]Shipment, int64, error) {
	k.filter, k.offset, k.limit = f, offset, limit
	return []Shipment{}, 7, k.err
}

func (k *fakeRepository) ListAfter(_ context.Context, _ OrgID, _ Filter, last *Shipment, n int64) ([]Shipment, error) {
	rest := slices.DeleteFunc(slices.Clone(k.created), func(s Shipment) bool {
		return last != nil && !s.CreatedAt.Before(last.CreatedAt)
	})
	slices.SortFunc(rest, func(a, b Shipment) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return rest[:min(int(n), len(rest))], k.err
}

func (k *fakeRepository) Get(_ context.Context, _ OrgID, _ ID, p Parts, _ int64) (Detail, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	documents := slices.Clone(k.documents)
	k.head.PalletsCount = len(k.pallets)
	for i, d := range documents {
		documents[i].PalletsExtracted = len(k.pallets) - len(withoutPallets(k.pallets, d.ID))
	}
	return Detail{Shipment: k.head.Shipment, Documents: documents, Pallets: k.partsOf(p), Checks: k.checks}, k.err
}

// partsOf returns the pallets that are read.
func (k *fakeRepository) partsOf(p Parts) []Pallet {
	if k.tooLarge || p.Pallets == 0 && len(k.pallets) > 0 {
		return nil
	}
	return withoutPallets(append([]Pallet{}, k.pallets...), p.Document)
}

func (k *fakeRepository) Create(_ context.Context, _ OrgID, s Shipment, by Actor) error {
	k.created, k.by = append(k.created, s), by
	return k.err
}

func (k *fakeRepository) Head(context.Context, OrgID, ID) (Head, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.looked != nil {
		k.looked(k)
	}
	return k.head, k.err
}

func (k *fakeRepository) Versions(_ context.Context, _ OrgID, ids []ID) (map[ID]int64, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.looked != nil {
		k.looked(k)
	}
	versions := map[ID]int64{}
	for _, id := range ids {
		versions[id] = k.head.Version
	}
	return versions, k.err
}

func (k *fakeRepository) Once(
	ctx context.Context, _ OrgID, _ Key, now time.Time, do func(context.Context) ([]byte, error),
) ([]byte, bool, error) {
	k.now = now
	answer, err := do(ctx)
	return answer, false, err
}

func (k *fakeRepository) runChecks(e Evidence) []Check {
	k.evidence = e
	return []Check{{Name: "n", Result: Pass, Details: "d"}}
}

func (k *fakeRepository) Documents(context.Context, OrgID, ID) ([]Document, error) {
	return k.documents, k.err
}

func (k *fakeRepository) Revise(_ context.Context, _ OrgID, r Revision) error {
	if k.revising != nil {
		return k.revising
	}
	if r.From != k.head.Shipment {
		return ErrVersion
	}
	if r.Keep != nil {
		k.templates = append(k.templates, *r.Keep)
	}
	k.head.Shipment, k.revisions, k.entries = r.To, append(k.revisions, r), append(k.entries, r.Entry)
	return nil
}

func (k *fakeRepository) Document(_ context.Context, _ OrgID, _ ID, id DocumentID) (Document, error) {
	for _, doc := range k.documents {
		if doc.ID == id {
			return doc, k.err
		}
	}
	return Document{}, ErrNoDocument
}

func (k *fakeRepository) Templates(_ context.Context, _ OrgID, fingerprints []string) ([]Template, error) {
	return slices.DeleteFunc(slices.Clone(k.templates), func(t Template) bool {
		return fingerprints != nil && !slices.Contains(fingerprints, t.Fingerprint)
	}), k.err
}

func (k *fakeRepository) PutTemplate(_ context.Context, _ OrgID, t Template) error {
	k.templates = append(k.templates, t)
	return k.err
}

func (k *fakeRepository) PalletUses(_ context.Context, _ OrgID, _ ID, ssccs []string, after time.Time) ([]Use, error) {
	k.ssccs, k.now = ssccs, after
	return []Use{{SSCC: "s", Reference: "r"}}, k.err
}

func (k *fakeRepository) Events(_ context.Context, _ OrgID, after, limit int64) ([]Event, Feed, error) {
	k.offset, k.limit = after, limit
	return k.events, k.feed, k.err
}

func (k *fakeRepository) Delete(_ context.Context, _ OrgID, s Shipment, _ Entry) error {
	if s != k.head.Shipment {
		return ErrVersion
	}
	k.deleted = true
	return nil
}

func (k *fakeRepository) History(_ context.Context, _ OrgID, _ ID, offset, limit int64) ([]Entry, int64, error) {
	k.offset, k.limit = offset, limit
	return k.entries, 7, k.err
}

func service(k *fakeRepository) *Service {
	last := ID{}
	return NewService(Needs{
		Repository: k, Files: &k.files, Reader: k, RunChecks: k.runChecks, NewID: func() ID { last[15]++; return last },
		Now: func() time.Time { return start },
	})
}

func TestPagesAreConvertedToOffsets(t *testing.T) {
	t.Parallel()
	for q, want := range map[Query]string{
		{}:                           "1 25 0",
		{Page: 3}:                    "3 25 50",
		{Page: 3, PerPage: 7}:        "3 7 14",
		{PerPage: 100}:               "1 100 0",
		{PerPage: 101}:               "1 100 0",
		{PerPage: math.MaxInt64}:     "1 100 0",
		{Page: math.MaxInt64}:        fmt.Sprint(int64(math.MaxInt64), 25, int64(math.MaxInt64)),
		{Page: math.MaxInt64/25 + 1}: fmt.Sprint(int64(math.MaxInt64/25+1), 25, int64(math.MaxInt64/25*25)),
		{Page: math.MaxInt64/25 + 2}: fmt.Sprint(int64(math.MaxInt64/25+2), 25, int64(math.MaxInt64)),
	} {
		k := &fakeRepository{}
		page, err := service(k).List(t.Context(), OrgID{1}, q)
		if got := fmt.Sprint(page.Page, page.PerPage, k.offset); err != nil || got != want || page.Total != 7 ||
			k.limit != page.PerPage {
			t.Errorf("%+v: %s, want %s (%v)", q, got, want, err)
		}
	}
}

func TestNewShipmentIsPendingWithMillisecondTimes(t *testing.T) {
	t.Parallel()
	k := &fakeRepository{}
	s, err := service(k).Create(t.Context(), OrgID{1}, Creation{Draft: good, By: Actor{ID: "tok_1"}})
	want := Shipment{
		ID:        ID{15: 1},
		Draft:     good,
		Status:    Pending,
		Version:   1,
		CreatedAt: time.Date(2026, 11, 20, 11, 0, 0, 123_000_000, time.UTC),
	}
	want.UpdatedAt = want.CreatedAt
	if err != nil || s != want || len(k.created) != 1 || k.created[0] != want || k.by != (Actor{ID: "tok_1"}) {
		t.Errorf("%+v (%v), want %+v", s, err, want)
	}
}

func TestInvalidDraftIsNotStored(t *testing.T) {
	t.Parallel()
	k := &fakeRepository{}
	_, err := service(k).Create(t.Context(), OrgID{1}, Creation{Draft: Draft{Vessel: "a\nb"}})
	invalid, ok := errors.AsType[*Invalid](err)
	if !ok || len(invalid.Faults) != 4 || k.created != nil {
		t.Errorf("%v; stored %v", err, k.created)
	}
	if !strings.Contains(err.Error(), "/reference: reference is required; /vessel: ") {
		t.Errorf("%v", err)
	}
}

func TestTextBoundsCountCodePoints(t *testing.T) {
	t.Parallel()
	set := func(change func(*Draft, string), text string) []Fault {
		d := good
		change(&d, text)
		return d.Faults()
	}
	for name, c := range map[string]struct {
		limit  int
		change func(*Draft, string)
	}{
		"reference":   {100, func(d *Draft, s string) { d.Reference = s }},
		"vessel":      {100, func(d *Draft, s string) { d.Vessel = s }},
		"origin":      {200, func(d *Draft, s string) { d.Origin = s }},
		"destination": {200, func(d *Draft, s string) { d.Destination = s }},
	} {
		for text, want := range map[string]FaultCode{
			"x":                            "",
			strings.Repeat("🍊", c.limit):   "",
			strings.Repeat("🍊", c.limit+1): TooLong,
			"":                             Required,
			" \u00a0\u2003":                Required,
			"\u200b\ufeff":                 Required,
			"a\u2028b":                     InvalidText,
			"a\u2029b":                     InvalidText,
			"\u3164":                       Required,
			"a\x00":                        InvalidText,
			"\x00":                         InvalidText,
			"a\x1b[31m":                    InvalidText,
			"a\u009fb":                     InvalidText,
			"a\xffb":                       InvalidText,
			"\xed\xa0\x80":                 InvalidText,
			"👩\u200d🌾":                     "",
		} {
			faults := set(c.change, text)
			if want == "" && faults == nil {
				continue
			}
			if len(faults) != 1 || faults[0].Code != want || faults[0].Pointer != "/"+name {
				t.Errorf("%s %.20q: %v, want %q", name, text, faults, want)
			}
		}
	}
}

func TestPalletsHaveBounds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Attachment)
		want   string
	}{
		"nothing": {func(*Attachment) {}, ""},
		"largest pallet": {func(a *Attachment) {
			a.Pallets[0].Boxes, a.Pallets[0].BoxWeight = list.MaxBoxes, list.MaxBoxWeight
		}, ""},
		"no pallet number": {func(a *Attachment) { a.Pallets[0].Number = "" }, "required /pallets/0/pallet_number"},
		"long calibre": {
			func(a *Attachment) { a.Pallets[0].Calibre = strings.Repeat("1", 21) },
			"too_long /pallets/0/calibre",
		},
		"no boxes":       {func(a *Attachment) { a.Pallets[0].Boxes = 0 }, "out_of_range /pallets/0/boxes"},
		"too many boxes": {func(a *Attachment) { a.Pallets[0].Boxes = list.MaxBoxes + 1 }, "out_of_range /pallets/0/boxes"},
		"no weight":      {func(a *Attachment) { a.Pallets[0].BoxWeight = 0 }, "out_of_range /pallets/0/box_weight_kg"},
		"too much weight": {
			func(a *Attachment) { a.Pallets[0].BoxWeight = list.MaxBoxWeight + 1 },
			"out_of_range /pallets/0/box_weight_kg",
		},
		"10,000 pallets": {func(a *Attachment) { a.Pallets = slices.Repeat(a.Pallets, list.MaxPallets) }, ""},
		"10,001 pallets": {
			func(a *Attachment) { a.Pallets = slices.Repeat(a.Pallets, list.MaxPallets+1) },
			"too_many_pallets /pallets",
		},
	} {
		pallet := Pallet{Number: "P", ProduceName: "Plum", Calibre: "A", Boxes: 1, BoxWeight: 1}
		a := Attachment{Type: PackingList, Pallets: []Pallet{pallet}}
		c.change(&a)
		got := ""
		for _, f := range a.Faults() {
			got += fmt.Sprint(f.Code, " ", f.Pointer)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestAllHasEachShipmentOnce of those that were there before and after, whatever is created and deleted meanwhile.
func TestAllHasEachShipmentOnce(t *testing.T) {
	t.Parallel()
	repo := &fakeRepository{}
	add := func(second int) {
		at := start.Add(time.Duration(second) * time.Second)
		repo.created = append(repo.created, Shipment{PalletsCount: second, CreatedAt: at})
	}
	for second := range 2 * allBatch {
		add(second)
	}
	next := 2*allBatch - 1
	for s, err := range NewService(Needs{Repository: repo}).All(t.Context(), OrgID{}, Filter{}) {
		if err != nil || s.PalletsCount != next {
			t.Fatalf("%d, want %d (%v)", s.PalletsCount, next, err)
		}
		if next--; next%100 == 0 { // it was read: none that follows may be left out
			repo.created = slices.DeleteFunc(repo.created, func(one Shipment) bool { return one.PalletsCount == s.PalletsCount })
			add(3*allBatch + next)
		}
	}
	if next != -1 {
		t.Errorf("%d are left out", next+1)
	}
}
