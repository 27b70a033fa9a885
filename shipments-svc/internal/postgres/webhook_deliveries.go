package postgres

import (
	"context"
	"database/sql"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// deliveryRow is a row of deliveriesSQL.
type deliveryRow struct {
	EventID     uuid.UUID     `db:"event_id"`
	EventNumber sql.NullInt64 `db:"event_number"`
	Status      webhooks.DeliveryStatus
	DueAt       sql.NullTime `db:"due_at"`
	Leased      bool
	Attempts    fromJSON[[]attemptRow]
	CreatedAt   time.Time `db:"created_at"`
	Type        sql.NullString
}

// attemptRow is a webhooks.Attempt as it is kept.
type attemptRow struct {
	At       time.Time        `json:"at"`
	Took     int64            `json:"took_ms"`
	Outcome  webhooks.Outcome `json:"outcome"`
	Response int              `json:"response,omitempty"`
}

func attemptRowOf(a webhooks.Attempt) attemptRow {
	return attemptRow{At: a.At, Took: a.Took.Milliseconds(), Outcome: a.Outcome, Response: a.Response}
}

func (r attemptRow) attempt() webhooks.Attempt {
	return webhooks.Attempt{
		At:       r.At.UTC(),
		Took:     time.Duration(r.Took) * time.Millisecond,
		Outcome:  r.Outcome,
		Response: r.Response,
	}
}

func (r deliveryRow) delivery() webhooks.Delivery {
	d := webhooks.Delivery{
		Event: shipments.EventID(r.EventID), Type: webhooks.Test, Number: r.EventNumber.Int64, Status: r.Status,
		Attempts: each(r.Attempts.value, attemptRow.attempt), CreatedAt: r.CreatedAt.UTC(),
	}
	if r.EventNumber.Valid {
		d.Type = shipments.EventType(r.Type.String)
	}
	if r.DueAt.Valid && !r.Leased {
		d.Due = r.DueAt.Time.UTC()
	}
	return d
}

// Deliveries implements webhooks.Repository.
func (w *Webhooks) Deliveries(
	ctx context.Context, org shipments.OrgID, q webhooks.DeliveryQuery, limit int64,
) ([]webhooks.Delivery, error) {
	before := uuid.Max
	if q.Before != nil {
		before = uuid.UUID(*q.Before)
	}
	rows, err := getRows[deliveryRow](
		ctx, w.tenant(ctx, org), "list deliveries", deliveriesSQL, uuid.UUID(org), uuid.UUID(q.Endpoint), string(q.Status),
		before, limit,
	)
	return each(rows, deliveryRow.delivery), err
}

// CreateTest implements webhooks.Repository.
func (w *Webhooks) CreateTest(
	ctx context.Context, org shipments.OrgID, id webhooks.ID, test shipments.EventID, now time.Time,
) error {
	defer w.due()
	return execute(
		ctx, w.tenant(ctx, org), "test webhook endpoint", createTestSQL, uuid.UUID(org), uuid.UUID(id), uuid.UUID(test), now,
	)
}

// Replay implements webhooks.Repository.
func (w *Webhooks) Replay(
	ctx context.Context, org shipments.OrgID, id webhooks.ID, events []shipments.EventID, now time.Time,
) ([]shipments.EventID, error) {
	defer w.due()
	rows, err := getRows[uuid.UUID](
		ctx, w.tenant(ctx, org), "replay events", replaySQL, uuid.UUID(org), uuid.UUID(id), arrayOf(events), now,
	)
	return idsOf[shipments.EventID](rows), err
}

// ReplayRange implements webhooks.Repository.
func (w *Webhooks) ReplayRange(
	ctx context.Context, org shipments.OrgID, id webhooks.ID, after, until int64, limit int, now time.Time,
) (int, int64, error) {
	type rangeRow struct {
		N    int
		Last int64
	}
	defer w.due()
	row, err := getRow[rangeRow](
		ctx, w.tenant(ctx, org), "replay events", replayRangeSQL, uuid.UUID(org), uuid.UUID(id), after, until, limit, now,
	)
	return row.N, row.Last, err
}
