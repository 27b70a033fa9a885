package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Deliveries implements webhooks.Repository.
func (w *Webhooks) Deliveries(
	ctx context.Context, org shipments.OrgID, q webhooks.DeliveryQuery, limit int64,
) ([]webhooks.Delivery, error) {
	before := uuid.Max
	if q.Before != nil {
		before = uuid.UUID(*q.Before)
	}
	return getJSON[[]webhooks.Delivery](ctx, w.tenant(ctx, org), query("read_deliveries"), org,
		q.Endpoint, q.Status, before, limit)
}

// CreateTest implements webhooks.Repository.
func (w *Webhooks) CreateTest(
	ctx context.Context, org shipments.OrgID, id webhooks.ID, test shipments.EventID, now time.Time,
) error {
	return execute(ctx, w.tenant(ctx, org), query("create_test_delivery"), org, id, test, now)
}

// Replay implements webhooks.Repository.
func (w *Webhooks) Replay(
	ctx context.Context, org shipments.OrgID, id webhooks.ID, events []shipments.EventID, now time.Time,
) ([]shipments.EventID, error) {
	return getJSON[[]shipments.EventID](
		ctx, w.tenant(ctx, org), query("replay_events"), org, id, arrayOf(events), now,
	)
}

// ReplayRange implements webhooks.Repository.
func (w *Webhooks) ReplayRange(
	ctx context.Context, org shipments.OrgID, id webhooks.ID, after, until int64, limit int, now time.Time,
) (int, int64, error) {
	type rangeRow struct {
		N    int
		Last int64
	}
	row, err := getRow[rangeRow](
		ctx, w.tenant(ctx, org), query("replay_range"), org, id, after, until, limit, now,
	)
	return row.N, row.Last, err
}
