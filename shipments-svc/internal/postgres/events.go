package postgres

import (
	"context"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// eventColumns are those of events as shipments.Event has them.
const eventColumns = `number, id, type, at, subject->'shipment' AS shipment, subject->'document' AS document`

// eventsSQL reads events after the number $2, at most $3, and the number of the first that
// is kept or to come.
const eventsSQL = `
SELECT coalesce(
	(SELECT min(number) FROM events WHERE organization_id = $1),
	(SELECT number + 1 FROM event_heads WHERE organization_id = $1),
	1) AS first, (
	SELECT coalesce(json_agg(e), '[]') FROM (
		SELECT ` + eventColumns + ` FROM events WHERE organization_id = $1 AND number > $2 ORDER BY number LIMIT $3
	) e) AS events`

// Events implements shipments.Repository.
func (r *Repository) Events(
	ctx context.Context, org shipments.OrgID, after, limit int64,
) ([]shipments.Event, int64, error) {
	type eventsRow struct {
		First  int64
		Events fromJSON[[]shipments.Event]
	}
	row, err := getRow[eventsRow](ctx, r.tenant(ctx, org), "read events", eventsSQL, uuid.UUID(org), after, limit)
	return row.Events.value, row.First, err
}
