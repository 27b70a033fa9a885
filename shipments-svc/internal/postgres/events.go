package postgres

import (
	"context"
	"database/sql"
	"slices"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// eventsSQL reads events after the number $2, at most $3, and the number of
// the first that is kept or to come. Without events there is one row, of that
// number only.
const eventsSQL = `
SELECT kept.first, e.number, e.id, e.type, e.at, e.subject
FROM (
	SELECT coalesce(
		(SELECT min(number) FROM events WHERE organization_id = $1),
		(SELECT number + 1 FROM event_heads WHERE organization_id = $1),
		1) AS first
) kept
LEFT JOIN LATERAL (
	SELECT number, id, type, at, subject FROM events
	WHERE organization_id = $1 AND number > $2
	ORDER BY number LIMIT $3
) e ON true
ORDER BY e.number`

// eventRow is a row of eventsSQL.
type eventRow struct {
	First   int64
	Number  sql.NullInt64
	ID      uuid.NullUUID
	Type    sql.NullString
	At      sql.NullTime
	Subject fromJSON[*subjectRow]
}

// Events implements shipments.Repository.
func (r *Repository) Events(
	ctx context.Context, org shipments.OrgID, after, limit int64,
) ([]shipments.Event, int64, error) {
	rows, err := getRows[eventRow](ctx, r.tenant(ctx, org), "read events", eventsSQL, uuid.UUID(org), after, limit)
	if err != nil {
		return nil, 0, err
	}
	first := rows[0].First
	return each(slices.DeleteFunc(rows, func(row eventRow) bool { return !row.Number.Valid }), eventRow.event), first, nil
}

func (r eventRow) event() shipments.Event {
	subject := r.Subject.value
	e := shipments.Event{
		ID: shipments.EventID(r.ID.UUID), Type: shipments.EventType(r.Type.String), At: r.At.Time.UTC(),
		Number:   r.Number.Int64,
		Shipment: inUTC(subject.Shipment),
	}
	if subject.Document != nil {
		e.Document = new(documentInUTC(*subject.Document))
	}
	return e
}
