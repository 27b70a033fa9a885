package postgres

import (
	"context"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// eventColumns are those of events as shipments.Event has them; $1 is the organization.
const eventColumns = `organization_id, number, id, type, at,
	subject->'shipment' AS shipment, subject->'document' AS document,
	(SELECT epoch FROM event_heads WHERE organization_id = $1) AS epoch`

// eventsSQL reads events after the number $2, at most $3, and what they are of.
const eventsSQL = `
SELECT coalesce((SELECT min(number) FROM events WHERE organization_id = $1), coalesce(max(number), 0) + 1) AS first,
	coalesce(max(number), 0) AS head, coalesce(max(epoch), '') AS epoch, (
	SELECT coalesce(json_agg(e), '[]') FROM (
		SELECT ` + eventColumns + ` FROM events WHERE organization_id = $1 AND number > $2 ORDER BY number LIMIT $3
	) e) AS events
FROM event_heads WHERE organization_id = $1`

// Events implements shipments.Repository.
func (r *Repository) Events(
	ctx context.Context, org shipments.OrgID, after, limit int64,
) ([]shipments.Event, shipments.Feed, error) {
	type eventsRow struct {
		shipments.Feed
		Events fromJSON[[]shipments.Event]
	}
	row, err := getRow[eventsRow](ctx, r.tenant(ctx, org), "read events", eventsSQL, org, after, limit)
	return row.Events.value, row.Feed, err
}

// announcing and announced enclose the number of a parameter that is a JSON
// array of events. Together they are a statement that puts the events of an
// organization, $1, into the outbox.
const (
	announcing = `
INSERT INTO outbox (organization_id, id, type, at, subject)
SELECT $1, id, type, at, jsonb_build_object('shipment', shipment, 'document', document) FROM json_to_recordset(`
	announced = `::json) AS given (id uuid, type text, at timestamptz, shipment jsonb, document jsonb)`

	// announceSQL announces the events $2.
	announceSQL = announcing + `$2` + announced
)

// newEventID returns the identifier of an event. Later ones are higher.
var newEventID = func() shipments.EventID { return shipments.EventID(uuid.Must(uuid.NewV7())) }

// notify signals the relay after a change that wrote events, and the workers after one that made
// a job.
func notify(signals ...chan struct{}) {
	for _, signal := range signals {
		select {
		case signal <- struct{}{}:
		default: // a signal is pending
		}
	}
}
