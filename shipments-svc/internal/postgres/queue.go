package postgres

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Due returns, of the next limit endpoints after the given one that have
// deliveries to come, those of which one is due; and the endpoint after which
// to look on, or nil where there are no more.
func (w *Webhooks) Due(
	ctx context.Context, after webhooks.EndpointKey, now time.Time, limit int,
) ([]webhooks.EndpointKey, *webhooks.EndpointKey, error) {
	type place struct {
		webhooks.EndpointKey
		Due bool `json:"due"`
	}
	rows, err := getJSON[[]place](ctx, w.dispatcher(), "due", dueSQL, after.Org, after.Endpoint, now, limit)
	if err != nil {
		return nil, nil, err
	}
	var due []webhooks.EndpointKey
	for _, row := range rows {
		if row.Due {
			due = append(due, row.EndpointKey)
		}
	}
	if len(rows) < limit {
		return due, nil, nil
	}
	return due, &rows[len(rows)-1].EndpointKey, nil
}

// jobRow is the row of claimDeliverySQL.
type jobRow struct {
	EventID     uuid.UUID     `db:"event_id"`
	EventNumber sql.NullInt64 `db:"event_number"` // null: a test
	Claim       int64
	Tries       int
	CreatedAt   time.Time `db:"created_at"`
	URL         string
	Secrets     pq.ByteaArray
	Event       fromJSON[*shipments.Event] // null of a test, and where it is no longer kept
}

// Claim leases a due delivery of an endpoint until a time, after which it can be
// claimed again. ok is false if none is due or the endpoint is disabled.
func (w *Webhooks) Claim(
	ctx context.Context, place webhooks.EndpointKey, now, until time.Time,
) (job webhooks.Job, ok bool, err error) {
	row, err := getRow[jobRow](
		ctx, w.tenant(ctx, place.Org), "claim", claimDeliverySQL, place.Org, place.Endpoint, now, until,
	)
	if errors.Is(err, shipments.ErrNotFound) {
		return webhooks.Job{}, false, nil
	}
	if err != nil {
		return webhooks.Job{}, false, err
	}
	if row.EventNumber.Valid && row.Event.value == nil { // it was replayed as it expired
		return webhooks.Job{}, false, execute(
			ctx, w.tenant(ctx, place.Org), "abandon", abandonSQL, place.Org, place.Endpoint, row.EventID, row.Claim,
		)
	}
	job = webhooks.Job{
		EndpointKey: place, Claim: row.Claim, URL: row.URL, Tries: row.Tries,
		Event: shipments.Event{
			Org: place.Org, ID: shipments.EventID(row.EventID), Type: webhooks.Test, At: row.CreatedAt.UTC(),
		},
	}
	if row.Event.value != nil {
		job.Event = *row.Event.value
	}
	for _, sealed := range row.Secrets {
		secret, err := w.open(sealed, place.Org, place.Endpoint)
		if err != nil {
			return webhooks.Job{}, false, err
		}
		job.Secrets = append(job.Secrets, secret)
	}
	return job, true, nil
}

// Finish writes what became of a delivery, unless someone else claimed it
// meanwhile.
func (w *Webhooks) Finish(ctx context.Context, job webhooks.Job, a webhooks.Attempt, v webhooks.Verdict) error {
	_, err := getRow[int](ctx, w.tenant(ctx, job.Org), "finish", finishSQL, job.Org, job.Endpoint,
		job.Event.ID, job.Claim, v.Status, nullTime(v.Due), asJSON{[]webhooks.Attempt{a}},
		webhooks.MaxAttempts, v.Health, a.At, a.At.Add(-webhooks.MaxFailing))
	return err
}

// Overdue counts the deliveries that are due, up to 10,000.
func (w *Webhooks) Overdue(ctx context.Context, now time.Time) (float64, error) {
	return getRow[float64](ctx, w.dispatcher(), "overdue", overdueSQL, now)
}

const (
	// dueSQL visits, after the endpoint $2 of the organization $1, up to $4
	// endpoints that have deliveries to come, by one step in the index each. It
	// returns for each whether one is due at $3.
	dueSQL = `
WITH RECURSIVE found (organization_id, endpoint_id, due_at, n) AS (
	(SELECT organization_id, endpoint_id, due_at, 1 FROM webhook_deliveries
		WHERE due_at IS NOT NULL AND (organization_id, endpoint_id) > ($1, $2)
		ORDER BY organization_id, endpoint_id, due_at LIMIT 1)
	UNION ALL
	SELECT further.organization_id, further.endpoint_id, further.due_at, n + 1
	FROM found CROSS JOIN LATERAL (
		SELECT organization_id, endpoint_id, due_at FROM webhook_deliveries d
		WHERE due_at IS NOT NULL AND (d.organization_id, d.endpoint_id) > (found.organization_id, found.endpoint_id)
		ORDER BY organization_id, endpoint_id, due_at LIMIT 1
	) further
	WHERE n < $4
)
SELECT coalesce(json_agg(p ORDER BY n), '[]') FROM (
	SELECT n, organization_id, endpoint_id, due_at <= $3 AND (
		SELECT id FROM webhook_endpoints w
		WHERE w.organization_id = found.organization_id AND w.id = found.endpoint_id AND w.status = 'enabled'
	) IS NOT NULL AS due
	FROM found
) p`

	// claimDeliverySQL claims the delivery that has been due at $3 for longest, until
	// $4, and reads what it takes to make it.
	claimDeliverySQL = `
WITH next AS (
	SELECT d.event_id
	FROM webhook_deliveries d
	JOIN webhook_endpoints w ON w.organization_id = $1 AND w.id = $2 AND w.status = 'enabled'
	WHERE d.organization_id = $1 AND d.endpoint_id = $2 AND d.due_at <= $3
	ORDER BY d.due_at LIMIT 1 FOR UPDATE OF d SKIP LOCKED
), claimed AS (
	UPDATE webhook_deliveries d SET due_at = $4, leased = true, claim = claim + 1
	FROM next
	WHERE d.organization_id = $1 AND d.endpoint_id = $2 AND d.event_id = next.event_id
	RETURNING d.event_id, d.event_number, d.claim, d.tries, d.created_at
)
SELECT c.event_id, c.event_number, c.claim, c.tries, c.created_at, w.url,
	w.secret || ARRAY(
		SELECT s FROM unnest(w.previous_secret || w.older_secrets, w.previous_until || w.older_until) o (s, u) WHERE u > $3
	) AS secrets,
	(SELECT row_to_json(e) FROM (
		SELECT ` + eventColumns + ` FROM events WHERE organization_id = $1 AND number = c.event_number
	) e) AS event
FROM claimed c
JOIN webhook_endpoints w ON w.organization_id = $1 AND w.id = $2`

	// finishSQL writes what became of the delivery of the event $3 that was
	// claimed as $4, unless it was claimed again since; it returns how many
	// deliveries that was. By $9, what the attempt at $10 says about the endpoint,
	// it also notes since when that fails, and disables it if it wants no more or
	// has failed since $11.
	finishSQL = `
WITH finished AS (
	UPDATE webhook_deliveries SET status = $5, due_at = $6, leased = false, tries = tries + 1,
		attempts = CASE WHEN jsonb_array_length(attempts) < $8 THEN attempts ELSE attempts - 0 END || $7::jsonb
	WHERE organization_id = $1 AND endpoint_id = $2 AND event_id = $3 AND claim = $4 AND leased
	RETURNING event_id
), recovered AS (
	UPDATE webhook_endpoints SET failing_since = NULL
	WHERE organization_id = $1 AND id = $2 AND failing_since IS NOT NULL AND $9 = 'works'
		AND EXISTS (SELECT FROM finished)
), failing AS (
	UPDATE webhook_endpoints SET failing_since = $10
	WHERE organization_id = $1 AND id = $2 AND failing_since IS NULL AND $9 = 'fails' AND EXISTS (SELECT FROM finished)
), disabled AS (
	UPDATE webhook_endpoints SET status = 'disabled',
		disabled_reason = CASE WHEN $9 = 'left' THEN 'gone' ELSE 'failing' END, updated_at = $10
	WHERE organization_id = $1 AND id = $2 AND status = 'enabled'
		AND ($9 = 'left' OR $9 = 'fails' AND failing_since <= $11)
		AND EXISTS (SELECT FROM finished)
)
SELECT count(*) FROM finished`

	// abandonSQL ends a delivery whose event is no longer kept.
	abandonSQL = `
UPDATE webhook_deliveries SET status = 'failed', due_at = NULL, leased = false
WHERE organization_id = $1 AND endpoint_id = $2 AND event_id = $3 AND claim = $4 AND leased`

	// overdueSQL counts the deliveries that are due at $1.
	overdueSQL = `
SELECT count(*) FROM (SELECT FROM webhook_deliveries WHERE due_at <= $1 LIMIT 10000) d`

	// tidySQL removes up to $3 tests from before $2, and as many deliveries of
	// deleted endpoints with those endpoints that have none any more; it returns
	// how many there were, of whichever were more.
	tidySQL = `
WITH tests AS (
	DELETE FROM webhook_deliveries d
	USING (
		SELECT endpoint_id, event_id FROM webhook_deliveries
		WHERE organization_id = $1 AND event_number IS NULL AND created_at < $2
		ORDER BY created_at LIMIT $3
	) old
	WHERE d.organization_id = $1 AND d.endpoint_id = old.endpoint_id AND d.event_id = old.event_id
	RETURNING d.event_id
), orphans AS (
	DELETE FROM webhook_deliveries d
	USING (
		SELECT o.endpoint_id, o.event_id
		FROM webhook_endpoints w JOIN webhook_deliveries o ON o.organization_id = $1 AND o.endpoint_id = w.id
		WHERE w.organization_id = $1 AND w.status = 'deleted'
		LIMIT $3
	) gone
	WHERE d.organization_id = $1 AND d.endpoint_id = gone.endpoint_id AND d.event_id = gone.event_id
	RETURNING d.event_id
), endpoints AS (
	DELETE FROM webhook_endpoints w
	WHERE w.organization_id = $1 AND w.status = 'deleted'
		AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.organization_id = $1 AND d.endpoint_id = w.id)
)
SELECT greatest((SELECT count(*) FROM tests), (SELECT count(*) FROM orphans))`
)
