package postgres

import (
	"crypto/rand"
	"math"
	"testing"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Whole is the bound of Get that every shipment is within, and Parts are all that it has.
const Whole = math.MaxInt64

var Parts = shipments.Parts{Pallets: math.MaxInt64}

// NewOrg returns a new organization.
func NewOrg() (org shipments.OrgID) {
	_, _ = rand.Read(org[:])
	return org
}

// NewShipment returns a shipment of that status and time.
func NewShipment(status shipments.Status, created time.Time) shipments.Shipment {
	s := shipments.Shipment{
		Draft: shipments.Draft{
			Reference: "PO-" + rand.Text()[:6], Vessel: "MSC Carmen",
			Origin: "Valparaíso, Chile", Destination: "Łódź \U0001F34A",
		},
		Status: status, Version: 1, CreatedAt: created.UTC().Truncate(time.Millisecond),
	}
	s.UpdatedAt = s.CreatedAt
	_, _ = rand.Read(s.ID[:])
	if status == shipments.Approved {
		s.ApprovedAt = s.CreatedAt.Add(time.Hour)
	}
	return s
}

// Someone is the actor of the tests.
var Someone = shipments.Actor{ID: "usr_01k9x3v7t2e8sbq4m6n0pacdfg", Name: "Anna O'Hara"}

// Noon is a time, in the middle of its UTC day.
var Noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// NewDocument returns a document with pallets of these numbers.
func NewDocument(numbers ...string) (shipments.Document, []shipments.Pallet) {
	doc := shipments.Document{
		Type: shipments.PackingList, Status: shipments.Processed, RowsRead: len(numbers) + 1, PalletsExtracted: len(numbers),
		Declared:  list.Declared{Pallets: 1, Boxes: 2, NetWeight: 3, ContainerNumber: "CSQU 'x'"},
		CreatedAt: Noon, ProcessedAt: Noon.Add(time.Second),
	}
	_, _ = rand.Read(doc.ID[:])
	_, _ = rand.Read(doc.SHA256[:])
	doc.ID[0] = 0
	var pallets []shipments.Pallet
	for i, number := range numbers {
		pallets = append(pallets, shipments.Pallet{
			Number: number, ProduceName: "Plum", Calibre: "A", Boxes: 1, BoxWeight: 1,
			Source:      shipments.Source{Document: doc.ID, Row: i + 2},
			Particulars: list.Particulars{NetWeight: 1, Labels: list.Labels{Lot: "L'7", Container: "CSQU 3054383"}},
		})
	}
	return doc, pallets
}

// NewWaiting returns a document that waits to be read.
func NewWaiting() *shipments.Document {
	doc, _ := NewDocument()
	doc.Status, doc.Run, doc.Kind, doc.ProcessedAt = shipments.Queued, 1, shipments.CSV, time.Time{}
	doc.Filename, doc.ContentType, doc.Size = "Pl \"42\".csv", "text/csv", 1<<33
	return &doc
}

// NewRevision returns one that stores a document by an action, and leaves the shipment in a
// status.
func NewRevision(
	from shipments.Shipment, status shipments.Status, a shipments.Action, doc *shipments.Document,
) shipments.Revision {
	to := from
	to.Status, to.Version = status, from.Version+1
	r := shipments.Revision{From: from, To: to, Document: doc, Checks: []shipments.Check{}}
	r.Entry = shipments.Entry{Version: to.Version, At: Noon, By: Someone, Action: a, Status: status, Document: doc.ID}
	return r
}

// NewQueued stores a shipment with a document that waits.
func NewQueued(t *testing.T, q shipments.Repository, org shipments.OrgID) (shipments.Shipment, shipments.Document) {
	t.Helper()
	s, doc := NewShipment(shipments.Pending, Noon), NewWaiting()
	if err := q.Create(t.Context(), org, s, Someone); err != nil {
		t.Fatal(err)
	}
	r := NewRevision(s, shipments.Processing, shipments.AttachDocument, doc)
	if err := q.Revise(t.Context(), org, r); err != nil {
		t.Fatal(err)
	}
	return r.To, *doc
}
