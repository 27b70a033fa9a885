package postgres

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const (
	// waitingSQL finds organizations after $1 that have events without a
	// number, at most $2, by one step in the index each.
	waitingSQL = `
WITH RECURSIVE found (organization_id, n) AS (
	(SELECT organization_id, 1 FROM outbox WHERE organization_id > $1 ORDER BY organization_id LIMIT 1)
	UNION ALL
	SELECT further.organization_id, n + 1
	FROM found CROSS JOIN LATERAL (
		SELECT organization_id FROM outbox o WHERE o.organization_id > found.organization_id
		ORDER BY organization_id LIMIT 1
	) further
	WHERE n < $2
)
SELECT coalesce(json_agg(organization_id ORDER BY n), '[]') FROM found`

	// numberSQL moves the first $2 events of the outbox to the numbered ones, and
	// makes the deliveries to endpoints that want them due; it returns how many these
	// were and how many seconds ago the oldest was announced. It must be a statement of
	// its own: it sees what was committed before the lock was got.
	numberSQL = `
WITH taken AS (
	DELETE FROM outbox WHERE organization_id = $1 AND position IN (
		SELECT position FROM outbox WHERE organization_id = $1 ORDER BY position LIMIT $2)
	RETURNING position, id, type, at, subject
), head AS (
	INSERT INTO event_heads AS h (organization_id, number)
	SELECT $1, count(*) FROM taken HAVING count(*) > 0
	ON CONFLICT (organization_id) DO UPDATE SET number = h.number + excluded.number
	RETURNING number
), numbered AS (
	INSERT INTO events (organization_id, number, id, type, at, subject)
	SELECT $1, head.number - count(*) OVER () + row_number() OVER (ORDER BY position), id, type, at, subject
	FROM taken, head
	RETURNING number, id, type, at
), delivered AS (
	INSERT INTO webhook_deliveries (organization_id, endpoint_id, event_id, event_number, status, due_at, created_at)
	SELECT $1, w.id, n.id, n.number, 'pending', n.at, now()
	FROM numbered n
	JOIN webhook_endpoints w ON w.organization_id = $1 AND w.status = 'enabled'
		AND (w.event_types = '{}' OR n.type = ANY (w.event_types))
)
SELECT count(*) AS given, coalesce(extract(epoch FROM now() - min(at)), 0)::float8 AS waited FROM numbered`

	// expireSQL removes events that were numbered before $2, the first $3 at
	// most, with their deliveries, and returns how many these were. Numbers and
	// their times rise together, so none is left out.
	expireSQL = `
WITH expired AS (
	DELETE FROM events WHERE organization_id = $1 AND number IN (
		SELECT number FROM events WHERE organization_id = $1 ORDER BY number LIMIT $3) AND numbered_at < $2
	RETURNING id
), undelivered AS (
	DELETE FROM webhook_deliveries d USING expired, webhook_endpoints w
	WHERE w.organization_id = $1 AND d.organization_id = $1 AND d.endpoint_id = w.id AND d.event_id = expired.id
)
SELECT count(*) FROM expired`

	// organizationsSQL finds organizations after $1 that have had events, or have
	// webhook endpoints or idempotency keys, at most $2, by one step in each index
	// for each.
	organizationsSQL = `
WITH RECURSIVE found (organization_id, n) AS (
	SELECT $1::uuid, 0
	UNION ALL
	SELECT least(
		(SELECT organization_id FROM event_heads o WHERE o.organization_id > found.organization_id ORDER BY 1 LIMIT 1),
		(SELECT organization_id FROM webhook_endpoints o WHERE o.organization_id > found.organization_id
			ORDER BY 1 LIMIT 1),
		(SELECT organization_id FROM idempotency_keys o WHERE o.organization_id > found.organization_id
			ORDER BY 1 LIMIT 1)), n + 1
	FROM found
	WHERE n < $2 AND found.organization_id IS NOT NULL
)
SELECT coalesce(json_agg(organization_id ORDER BY n), '[]') FROM found WHERE n > 0 AND organization_id IS NOT NULL`
)

// Waiting returns up to limit organizations after the given one, in a fixed
// order, whose events have no number yet.
func (r *Repository) Waiting(ctx context.Context, after shipments.OrgID, limit int) ([]shipments.OrgID, error) {
	return getJSON[[]shipments.OrgID](ctx, r.dispatcher(), "waiting", waitingSQL, after, limit)
}

// Organizations returns up to limit organizations after the given one, in a fixed
// order, of which something expires or is sealed.
func (r *Repository) Organizations(ctx context.Context, after shipments.OrgID, limit int) ([]shipments.OrgID, error) {
	return getJSON[[]shipments.OrgID](ctx, r.dispatcher(), "organizations", organizationsSQL, after, limit)
}

// Number gives the next numbers to an organization's first events without one,
// at most limit. It returns how many it gave and how long ago the oldest of
// these was announced. It gives none while someone else does so.
func (r *Repository) Number(ctx context.Context, org shipments.OrgID, limit int) (int, time.Duration, error) {
	var row struct {
		Given  int
		Waited float64
	}
	err := r.transact(ctx, org, "number", func(tx *sqlx.Tx) error {
		row.Given = 0
		var mine bool
		if err := tx.GetContext(ctx, &mine, tryLockSQL, org, "outbox"); err != nil || !mine {
			return err
		}
		return tx.GetContext(ctx, &row, numberSQL, org, limit)
	})
	if row.Given > 0 {
		notify(r.WebhooksDue)
	}
	return row.Given, time.Duration(row.Waited * float64(time.Second)), err
}

// Expire removes an organization's events that got their numbers EventLife before now, tests of
// webhooks as old, answers that are no longer kept, and deliveries whose endpoint is gone, up to
// limit of each. It returns how many these were, of whichever were more.
func (r *Repository) Expire(ctx context.Context, org shipments.OrgID, now time.Time, limit int) (most int, err error) {
	old := now.Add(-shipments.EventLife)
	for _, expired := range []struct {
		query  string
		before time.Time
	}{{expireSQL, old}, {expireKeysSQL, now}, {tidySQL, old}} {
		n, err := getRow[int](ctx, r.tenant(ctx, org), "expire", expired.query, org, expired.before, limit)
		if err != nil {
			return 0, err
		}
		most = max(most, n)
	}
	return most, nil
}
