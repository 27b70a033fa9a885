package postgres

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Waiting implements outbox.Outbox.
func (r *Repository) Waiting(ctx context.Context, after shipments.OrgID, limit int) ([]shipments.OrgID, error) {
	return getJSON[[]shipments.OrgID](ctx, r.dispatcher(), query("organizations_with_outbox"), after, limit)
}

// Organizations implements outbox.Outbox.
func (r *Repository) Organizations(ctx context.Context, after shipments.OrgID, limit int) ([]shipments.OrgID, error) {
	return getJSON[[]shipments.OrgID](ctx, r.dispatcher(), query("organizations_to_visit"), after, limit)
}

// Number implements outbox.Outbox.
func (r *Repository) Number(ctx context.Context, org shipments.OrgID, limit int) (int, time.Duration, error) {
	var row struct {
		Given  int
		Waited float64
	}
	err := r.transact(ctx, org, "number", func(tx *sqlx.Tx) error {
		row.Given = 0
		var mine bool
		if err := tx.GetContext(ctx, &mine, query("try_lock").text, org, "outbox"); err != nil || !mine {
			return err
		}
		return tx.GetContext(ctx, &row, query("number_events").text, org, limit)
	})
	if row.Given > 0 {
		notify(r.WebhooksDue)
	}
	return row.Given, time.Duration(row.Waited * float64(time.Second)), err
}

// Expire implements outbox.Outbox: of events that got their numbers EventLife before now, tests of webhooks as old,
// answers that are no longer kept, and deliveries whose endpoint is gone.
func (r *Repository) Expire(ctx context.Context, org shipments.OrgID, now time.Time, limit int) (most int, err error) {
	old := now.Add(-shipments.EventLife)
	for name, before := range map[string]time.Time{"expire_events": old, "expire_keys": now, "expire_deliveries": old} {
		n, err := getRow[int](ctx, r.tenant(ctx, org), query(name), org, before, limit)
		if err != nil {
			return 0, err
		}
		most = max(most, n)
	}
	return most, nil
}
