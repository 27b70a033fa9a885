package postgres

import (
	"slices"
	"strconv"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// newLines stores a shipment with a pallet for each number of lines, and returns it with the document that has them.
func newLines(
	t *testing.T, r *Repository, org shipments.OrgID, lines ...int,
) (shipments.Shipment, shipments.DocumentID) {
	t.Helper()
	s := NewShipment(shipments.Pending, Noon)
	must(t, r.Create(t.Context(), org, s, shipments.Actor{}))
	to, doc := s, shipments.Document{ID: shipments.DocumentID(NewOrg()), Status: shipments.Processed, ProcessedAt: Noon}
	to.Version, to.PalletsCount, doc.CreatedAt = 2, len(lines), Noon
	doc.Facts = []list.Fact{{Kind: list.VesselFact, Text: "MSC Carmen"}}
	pallets, n := make([]shipments.Pallet, len(lines)), 0
	for i, of := range lines {
		pallets[i].Number, pallets[i].Source = "P"+strconv.Itoa(i), shipments.Source{Document: doc.ID, Row: i + 1}
		for range of {
			n++
			line := list.Content{ProduceName: "Plum", Boxes: n}
			line.Lot = "A lot with a name that is not much shorter than a lot may have"
			pallets[i].Contents = append(pallets[i].Contents, line)
		}
	}
	must(t, r.Revise(t.Context(), org, shipments.Revision{
		From: s, To: to, Entry: shipments.Entry{Version: 2, At: Noon, Action: shipments.AttachDocument, Status: s.Status},
		Document: &doc, Pallets: pallets,
	}))
	return to, doc.ID
}

// TestPartsAreReadWithinTheirBounds: bytes are counted before they are read.
func TestPartsAreReadWithinTheirBounds(t *testing.T) {
	t.Parallel()
	r, org := NewRepository(openAt(t, postgrestest.New(t, Migrate))), NewOrg()
	s, doc := newLines(t, r, org, 2_000, 1, 0)
	get := func(p shipments.Parts, atMost int64) shipments.Detail {
		d, err := r.Get(t.Context(), org, s.ID, p, atMost)
		must(t, err)
		return d
	}
	all := get(Parts, Whole)
	if text, _ := (asJSON{all.Pallets}).Value(); len(all.Pallets) != 3 || len(text.(string)) > int(2*all.Bytes) ||
		all.Bytes > int64(2*len(text.(string))) {
		t.Errorf("%d pallets are counted as %d bytes", len(all.Pallets), all.Bytes)
	}
	if d := get(Parts, all.Bytes-1); d.Bytes != all.Bytes || d.Pallets != nil || d.Documents != nil || d.Checks != nil {
		t.Errorf("more bytes than are wanted: %+v", d)
	}
	if d := get(shipments.Parts{Pallets: 1000}, 100_000); d.Pallets != nil || len(d.Documents) != 1 {
		t.Errorf("more pallets than are wanted: %d, %d documents", len(d.Pallets), len(d.Documents))
	}
	if d := get(shipments.Parts{}, 100_000); d.Pallets != nil || d.Documents[0].Facts != nil {
		t.Errorf("none: %+v", d)
	}
	if d := get(shipments.Parts{Pallets: 1000, Document: doc}, 100_000); d.Pallets == nil || len(d.Pallets) != 0 {
		t.Errorf("those of others: %d", len(d.Pallets))
	}
	if d := get(shipments.Parts{Document: doc}, 100_000); d.Documents[0].Facts == nil {
		t.Errorf("a document: %+v", d)
	}
}

// TestLinesAreReadInPages: a pallet with many lines is on several.
func TestLinesAreReadInPages(t *testing.T) {
	t.Parallel()
	r, org := NewRepository(openAt(t, postgrestest.New(t, Migrate))), NewOrg()
	s, _ := newLines(t, r, org, 5, 0, 3)
	var numbers []string
	var boxes []int
	for offset := int64(0); offset < 9; offset += 4 {
		page, err := r.Lines(t.Context(), org, s.ID, offset, 4)
		must(t, err)
		if page.Total != 9 || page.Version != 2 {
			t.Errorf("%d lines of version %d", page.Total, page.Version)
		}
		for _, p := range page.Pallets {
			numbers = append(numbers, p.Number+" "+strconv.Itoa(p.From)+"/"+strconv.Itoa(p.Lines))
			for _, c := range p.Contents {
				boxes = append(boxes, c.Boxes)
			}
		}
	}
	if want := []string{"P0 0/5", "P0 4/5", "P1 0/1", "P2 0/3", "P2 2/3"}; !slices.Equal(numbers, want) {
		t.Errorf("%v, want %v", numbers, want)
	}
	if want := []int{1, 2, 3, 4, 5, 6, 7, 8}; !slices.Equal(boxes, want) {
		t.Errorf("%v, want %v", boxes, want)
	}
}
