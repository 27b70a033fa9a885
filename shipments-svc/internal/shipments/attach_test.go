package shipments

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
)

var (
	plum = Pallet{Number: "P1", ProduceName: "Plum", Calibre: "A", Boxes: 1, BoxWeight: 1}
	sscc = Pallet{Number: "(00) 106141412345678908", ProduceName: "Plum", Calibre: "A", Boxes: 1, BoxWeight: 1}
)

func attachment(pallets ...Pallet) Attachment {
	return Attachment{Order: Order{By: Actor{ID: "tok_1"}}, Type: PackingList, Pallets: pallets}
}

func TestAnAttachedDocumentIsPartOfTheShipmentAtOnce(t *testing.T) {
	t.Parallel()
	k := at(Rejected)
	k.documents, k.pallets = []Document{{ID: DocumentID{9}}}, []Pallet{plum}
	k.head.PalletsCount = 1
	a := attachment(plum, sscc)
	a.Declared.Pallets = 2
	got, err := service(k).Attach(t.Context(), OrgID{1}, a)
	if err != nil || len(k.revisions) != 1 {
		t.Fatalf("%v, %+v", err, k.revisions)
	}
	r, now, id := k.revisions[0], start.UTC().Truncate(time.Millisecond), DocumentID{15: 1}
	if doc := *r.Document; !reflect.DeepEqual(doc, got.Document) || doc.ID != id || doc.Status != Processed ||
		doc.PalletsExtracted != 2 || doc.RowsRead != 2 ||
		doc.CreatedAt != now || doc.ProcessedAt != now ||
		doc.Declared.Pallets != 2 ||
		doc.SHA256 == [32]byte{} {
		t.Errorf("%+v", doc)
	}
	if r.To.Status != ReadyForReview || r.To.PalletsCount != 3 || r.To.Version != 5 || r.From.Version != 4 {
		t.Errorf("%+v", r.To)
	}
	if want := (Entry{
		Version: 5, At: now, By: Actor{ID: "tok_1"}, Action: AttachDocument, Status: ReadyForReview,
		Document: id,
	}); fmt.Sprint(
		r.Entry,
	) != fmt.Sprint(
		want,
	) {
		t.Errorf("%+v", r.Entry)
	}
	if len(r.Pallets) != 2 || r.Pallets[1].Source != (Source{Document: id, Row: 2}) || len(r.Checks) != 1 ||
		len(got.Checks) != 1 {
		t.Errorf("%+v, %+v", r.Pallets, r.Checks)
	}
	e := k.evidence
	if len(e.Documents) != 2 || len(e.Pallets) != 3 || !reflect.DeepEqual(e.Pallets[0], plum) || e.Draft != good ||
		len(e.Reused) != 1 ||
		!slices.Equal(k.ssccs, []string{"106141412345678908"}) ||
		!k.now.Equal(start.Add(-366*24*time.Hour)) {
		t.Errorf("checked with %+v, with %v after %s", e, k.ssccs, k.now)
	}
}

func TestADryRunStoresNothing(t *testing.T) {
	t.Parallel()
	k := at(Pending)
	a := attachment(plum)
	a.DryRun = true
	got, err := service(k).Attach(t.Context(), OrgID{1}, a)
	if err != nil || k.revisions != nil || len(got.Checks) != 1 || got.Document.ID != (DocumentID{}) ||
		!got.Document.CreatedAt.IsZero() ||
		!got.DryRun {
		t.Errorf("%v, %+v", err, got)
	}
	if _, err := service(at(Approved)).Attach(t.Context(), OrgID{1}, a); err == nil {
		t.Error("a dry run accepts what would be refused")
	}
}

func TestTheSameContentIsAttachedOnce(t *testing.T) {
	t.Parallel()
	k := at(Pending)
	a := attachment(plum)
	k.documents = []Document{{ID: DocumentID{8}}, {ID: DocumentID{9}, SHA256: a.sum()}}
	_, err := service(k).Attach(t.Context(), OrgID{1}, a)
	if same, ok := errors.AsType[*DuplicateError](err); !ok || same.ID != (DocumentID{9}) || k.revisions != nil {
		t.Errorf("%v", err)
	}
	// Whatever differs makes another content.
	other := plum
	other.Calibre = "B"
	declared := attachment(plum)
	declared.Declared.ContainerNumber = "x"
	sums := map[[32]byte]bool{}
	for _, a := range []Attachment{
		a, attachment(other), attachment(plum, plum), attachment(plum, other),
		attachment(other, plum), declared,
	} {
		sums[a.sum()] = true
	}
	if len(sums) != 6 {
		t.Errorf("%d of 6 contents differ", len(sums))
	}
}

func TestAShipmentHasNoMoreThanTenThousandPallets(t *testing.T) {
	t.Parallel()
	k := at(Pending)
	k.pallets = slices.Repeat([]Pallet{plum}, list.MaxPallets-1)
	_, err := service(k).Attach(t.Context(), OrgID{1}, attachment(plum, plum))
	invalid, ok := errors.AsType[*Invalid](err)
	if !ok || invalid.Faults[0].Code != TooManyPallets || !strings.Contains(err.Error(), "it would have 10001") {
		t.Errorf("%v", err)
	}
	if _, err := service(k).Attach(t.Context(), OrgID{1}, attachment(plum)); err != nil {
		t.Error(err)
	}
}

func TestWithTheLastDocumentTheShipmentIsPendingAgain(t *testing.T) {
	t.Parallel()
	k := at(ReadyForReview)
	first, second := plum, plum
	first.Source, second.Source = Source{Document: DocumentID{1}, Row: 1}, Source{Document: DocumentID{2}, Row: 1}
	k.documents, k.pallets = []Document{{ID: DocumentID{1}}, {ID: DocumentID{2}}}, []Pallet{first, second}
	s := service(k)
	if _, err := s.Detach(t.Context(), OrgID{1}, DocumentOrder{Document: DocumentID{1}}); err != nil {
		t.Fatal(err)
	}
	if r := k.revisions[0]; r.To.Status != ReadyForReview || r.To.PalletsCount != 1 || r.Detached != (DocumentID{1}) ||
		len(k.evidence.Pallets) != 1 ||
		len(r.Checks) != 1 {
		t.Errorf("%+v", r)
	}
	k.documents, k.pallets = k.documents[1:], k.pallets[1:]
	if _, err := s.Detach(t.Context(), OrgID{1}, DocumentOrder{Document: DocumentID{2}}); err != nil {
		t.Fatal(err)
	}
	if r := k.revisions[1]; r.To.Status != Pending || r.To.PalletsCount != 0 || len(r.Checks) != 0 {
		t.Errorf("%+v", r)
	}
	if _, err := s.Detach(t.Context(), OrgID{1}, DocumentOrder{Document: DocumentID{7}}); !errors.Is(err, ErrNoDocument) ||
		!errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
	if doc, err := s.Document(t.Context(), OrgID{1}, DocumentOrder{Document: DocumentID{2}}); err != nil ||
		doc.ID != (DocumentID{2}) {
		t.Errorf("%+v (%v)", doc, err)
	}
	if _, err := s.Document(t.Context(), OrgID{1}, DocumentOrder{Document: DocumentID{1}}); !errors.Is(
		err, ErrNoDocument,
	) {
		t.Errorf("%v", err)
	}
}

func TestAttachmentsAreValidated(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]Attachment{
		"":                    attachment(plum),
		"required /type":      {Pallets: []Pallet{plum}},
		"invalid_value /type": {Type: "poem", Pallets: []Pallet{plum}},
		"required /pallets":   attachment(),
		"out_of_range /pallets/1/boxes": attachment(plum,
			Pallet{Number: "P", ProduceName: "Plum", Calibre: "A", BoxWeight: 1}),
		"too_many_pallets /pallets":      attachment(slices.Repeat([]Pallet{plum}, list.MaxPallets+1)...),
		"out_of_range /declared/pallets": {Type: PackingList, Pallets: []Pallet{plum}, Declared: list.Declared{Pallets: -1}},
		"out_of_range /declared/boxes": {
			Type: PackingList, Pallets: []Pallet{plum},
			Declared: list.Declared{Boxes: list.MaxDeclaredBoxes + 1},
		},
		"out_of_range /declared/net_weight_kg": {
			Type: PackingList, Pallets: []Pallet{plum},
			Declared: list.Declared{NetWeight: list.MaxDeclaredWeight + 1},
		},
		"too_long /declared/container_number": {
			Type: PackingList, Pallets: []Pallet{plum},
			Declared: list.Declared{ContainerNumber: strings.Repeat("x", 21)},
		},
	} {
		got := ""
		for _, f := range a.Faults() {
			got += fmt.Sprint(f.Code, " ", f.Pointer)
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if _, err := service(at(Pending)).Attach(t.Context(), OrgID{1}, Attachment{}); err == nil {
		t.Error("an attachment with faults was stored")
	}
}

func TestSSCCsAreDistinguishedFromOtherLabels(t *testing.T) {
	t.Parallel()
	for label, want := range map[string]string{
		"106141412345678908": "106141412345678908", "00106141412345678908": "106141412345678908",
		"(00) 1 0614141 234567890 8": "106141412345678908", "[00]106141412345678908": "106141412345678908",
		"]C100106141412345678908": "106141412345678908", "SSCC 1.0614141-234567890.8": "106141412345678908",
		"sscc: (00)106141412345678908": "106141412345678908", "P-106141412345678908": "",
		"": "", "0042": "", "10614141234567890": "", "1061414123456789080": "",
		"11106141412345678908": "",
		"10614141234567890X":   "", "(00)": "",
	} {
		if got := list.SSCC(label); got != want {
			t.Errorf("%q is %q, want %q", label, got, want)
		}
	}
}
