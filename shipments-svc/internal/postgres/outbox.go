package postgres

import (
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// announcing and announced enclose the number of a parameter that is a JSON
// array of events. Together they are a statement that puts the events of an
// organization, $1, into the outbox.
const (
	announcing = `
INSERT INTO outbox (organization_id, id, type, at, subject)
SELECT $1, id, type, at, subject FROM json_to_recordset(`
	announced = `::json) AS given (id uuid, type text, at timestamptz, subject jsonb)`

	// announceSQL announces the events $2.
	announceSQL = announcing + `$2` + announced
)

// announcedRow is a shipments.Event as it is written to the outbox.
type announcedRow struct {
	ID      uuid.UUID           `json:"id"`
	Type    shipments.EventType `json:"type"`
	At      time.Time           `json:"at"`
	Subject subjectRow          `json:"subject"`
}

// subjectRow is the stored subject of an event.
type subjectRow struct {
	Shipment shipments.Shipment  `json:"shipment"`
	Document *shipments.Document `json:"document,omitempty"`
}

func announcedRows(events []shipments.Event) []announcedRow {
	return each(events, func(e shipments.Event) announcedRow {
		return announcedRow{ID: uuid.Must(uuid.NewV7()), Type: e.Type, At: e.At, Subject: subjectRowOf(e)}
	})
}

func subjectRowOf(e shipments.Event) subjectRow {
	row := subjectRow{Shipment: e.Shipment}
	if e.Document != nil {
		doc := *e.Document
		doc.Facts, doc.Remarks, doc.Given, doc.Mappings = nil, nil, nil, nil // for those who read the document
		row.Document = &doc
	}
	return row
}

// notify signals the relay after a change that wrote events to the outbox.
func (r *Repository) notify() {
	select {
	case r.announced <- struct{}{}:
	default: // a signal is pending
	}
}

// Announced returns a channel that receives a value after this process wrote events
// to the outbox; one value for several writes if nothing receives.
func (r *Repository) Announced() <-chan struct{} { return r.announced }
