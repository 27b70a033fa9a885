package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/settings/sealing"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Webhooks implements webhooks.Repository and dispatch.Queue. Secrets are
// sealed with its keys, each for its endpoint. It is safe for concurrent use.
type Webhooks struct {
	*Repository
	keys sealing.Keys
}

// NewWebhooks returns a Webhooks on what the repository is on.
func NewWebhooks(r *Repository, keys sealing.Keys) *Webhooks { return &Webhooks{r, keys} }

// CreateEndpoint implements webhooks.Repository.
func (w *Webhooks) CreateEndpoint(ctx context.Context, org shipments.OrgID, m webhooks.Made) error {
	return w.Locked(ctx, org, webhooks.EndpointsLock, func(ctx context.Context) error {
		created, err := getRow[int](ctx, w.tenant(ctx, org), "create webhook endpoint", createEndpointSQL,
			org, m.ID, m.URL, m.Description, m.EventTypes, w.seal(m.Secret, org, m.ID), m.CreatedAt, webhooks.MaxEndpoints)
		if err == nil && created == 0 {
			err = webhooks.ErrTooMany
		}
		return err
	})
}

// Endpoints implements webhooks.Repository.
func (w *Webhooks) Endpoints(ctx context.Context, org shipments.OrgID) ([]webhooks.Endpoint, error) {
	return getJSON[[]webhooks.Endpoint](ctx, w.tenant(ctx, org), "list webhook endpoints", endpointsSQL, org)
}

// Endpoint implements webhooks.Repository.
func (w *Webhooks) Endpoint(ctx context.Context, org shipments.OrgID, id webhooks.ID) (webhooks.Endpoint, error) {
	return endpoint(ctx, w.tenant(ctx, org), "get webhook endpoint", endpointSQL, org, id)
}

// endpoint runs a statement that returns an endpoint.
func endpoint(ctx context.Context, on session, doing, query string, args ...any) (webhooks.Endpoint, error) {
	e, err := getJSON[webhooks.Endpoint](ctx, on, doing, query, args...)
	return e, missing(err, webhooks.ErrNotFound)
}

// ChangeEndpoint implements webhooks.Repository.
func (w *Webhooks) ChangeEndpoint(
	ctx context.Context, org shipments.OrgID, id webhooks.ID, change func(webhooks.Endpoint) webhooks.Endpoint,
) (webhooks.Endpoint, error) {
	var to webhooks.Endpoint
	err := w.transact(ctx, org, "update webhook endpoint", func(tx *sqlx.Tx) error {
		from, err := endpoint(ctx, session{tx: tx}, "lock", lockEndpointSQL, org, id)
		if err != nil {
			return err
		}
		to = change(from)
		_, err = tx.ExecContext(
			ctx, changeEndpointSQL, org, id, to.URL, to.Description, to.EventTypes,
			to.Status, to.Reason, to.UpdatedAt, nullTime(to.FailingSince),
		)
		return err
	})
	return to, err
}

// RotateSecret implements webhooks.Repository.
func (w *Webhooks) RotateSecret(
	ctx context.Context, org shipments.OrgID, id webhooks.ID, secret webhooks.Secret, now, previousUntil time.Time,
) (webhooks.Endpoint, error) {
	e, err := endpoint(ctx, w.tenant(ctx, org), "rotate webhook secret", rotateSecretSQL,
		org, id, w.seal(secret, org, id), now, previousUntil, webhooks.MaxSecrets-2)
	if errors.Is(err, webhooks.ErrNotFound) {
		if _, none := w.Endpoint(ctx, org, id); none == nil {
			err = webhooks.ErrTooManySecrets
		}
	}
	return e, err
}

// DeleteEndpoint implements webhooks.Repository.
func (w *Webhooks) DeleteEndpoint(ctx context.Context, org shipments.OrgID, id webhooks.ID) error {
	_, err := getRow[uuid.UUID](ctx, w.tenant(ctx, org), "delete webhook endpoint", deleteEndpointSQL, org, id)
	return missing(err, webhooks.ErrNotFound)
}

const endpointColumns = `id, url, description, event_types, status, disabled_reason, failing_since, previous_until,
	created_at, updated_at`

const oneEndpoint = `
	SELECT ` + endpointColumns + ` FROM webhook_endpoints
	WHERE organization_id = $1 AND id = $2 AND status <> 'deleted'`

const (
	// createEndpointSQL stores an endpoint unless there are $8; it returns how
	// many it stored.
	createEndpointSQL = `
WITH created AS (
	INSERT INTO webhook_endpoints (organization_id, id, url, description, event_types, status, secret,
		created_at, updated_at)
	SELECT $1, $2, $3, $4, coalesce($5::text[], '{}'), 'enabled', $6, $7, $7
	WHERE (SELECT count(*) FROM webhook_endpoints WHERE organization_id = $1 AND status <> 'deleted') < $8
	RETURNING id
)
SELECT count(*) FROM created`

	endpointsSQL = `
SELECT coalesce(json_agg(w), '[]') FROM (
	SELECT ` + endpointColumns + ` FROM webhook_endpoints
	WHERE organization_id = $1 AND status <> 'deleted' ORDER BY id
) w`

	endpointSQL = `SELECT row_to_json(w) FROM (` + oneEndpoint + `) w`

	lockEndpointSQL = `SELECT row_to_json(w) FROM (` + oneEndpoint + ` FOR UPDATE) w`

	changeEndpointSQL = `
UPDATE webhook_endpoints SET url = $3, description = $4, event_types = coalesce($5::text[], '{}'), status = $6,
	disabled_reason = $7, updated_at = $8, failing_since = $9
WHERE organization_id = $1 AND id = $2`

	// rotateSecretSQL keeps the secrets that still sign at $4, unless there are more than $6 of them.
	rotateSecretSQL = `
WITH rotated AS (
	UPDATE webhook_endpoints SET secret = $3, previous_secret = secret, previous_until = $5, updated_at = $4,
		(older_secrets, older_until) = (
			SELECT coalesce(array_agg(s ORDER BY u DESC), '{}'), coalesce(array_agg(u ORDER BY u DESC), '{}')
			FROM unnest(older_secrets || previous_secret, older_until || previous_until) older (s, u) WHERE u > $4)
	WHERE organization_id = $1 AND id = $2 AND status <> 'deleted'
		AND (SELECT count(*) FROM unnest(older_until || previous_until) u WHERE u > $4) <= $6
	RETURNING ` + endpointColumns + `
)
SELECT row_to_json(rotated) FROM rotated`

	// deleteEndpointSQL leaves a row without secrets until the deliveries are
	// removed, which can be many.
	deleteEndpointSQL = `
UPDATE webhook_endpoints SET status = 'deleted', secret = '', previous_secret = NULL, previous_until = NULL,
	older_secrets = '{}', older_until = '{}', url = '', description = ''
WHERE organization_id = $1 AND id = $2 AND status <> 'deleted'
RETURNING id`

	// allSealed are those of an endpoint; the second is empty if there is no previous one.
	allSealed = `ARRAY[secret, coalesce(previous_secret, '')] || older_secrets`

	// sealedSQL finds the secrets of an organization.
	sealedSQL = `
SELECT id, ` + allSealed + ` AS secrets FROM webhook_endpoints WHERE organization_id = $1 AND status <> 'deleted'`

	// resealSQL replaces the secrets $3 unless they are others meanwhile.
	resealSQL = `
UPDATE webhook_endpoints SET secret = ($4::bytea[])[1], previous_secret = nullif(($4::bytea[])[2], ''),
	older_secrets = ($4::bytea[])[3:]
WHERE organization_id = $1 AND id = $2 AND ` + allSealed + ` = $3::bytea[]`
)

const (
	// deliveriesSQL reads deliveries of the endpoint $2: of the status $3, or
	// any; of events before $4; at most $5.
	deliveriesSQL = `
SELECT coalesce(json_agg(d), '[]') FROM (
	SELECT d.event_id, d.event_number, d.status, CASE WHEN NOT d.leased THEN d.due_at END AS due_at, d.attempts,
		d.created_at, CASE WHEN d.event_number IS NULL THEN '` + string(webhooks.Test) + `' ELSE e.type END AS type
	FROM webhook_deliveries d
	LEFT JOIN events e ON e.organization_id = $1 AND e.number = d.event_number
	WHERE d.organization_id = $1 AND d.endpoint_id = $2 AND ($3 = '' OR d.status = $3) AND d.event_id < $4
	ORDER BY d.event_id DESC LIMIT $5
) d`

	createTestSQL = `
INSERT INTO webhook_deliveries (organization_id, endpoint_id, event_id, status, due_at, created_at)
VALUES ($1, $2, $3, 'pending', $4, $4)`

	// dueAgain ends a statement that makes deliveries due: it goes on with those
	// that are there, other than those that are being tried.
	dueAgain = `
	ON CONFLICT (organization_id, endpoint_id, event_id) DO UPDATE
	SET status = 'pending', due_at = excluded.due_at, tries = 0
	WHERE NOT d.leased`

	// replaySQL makes the events $3 due at $4 if all of them exist; it returns
	// those that do.
	replaySQL = `
WITH found AS MATERIALIZED (
	SELECT id, number FROM events WHERE organization_id = $1 AND id = ANY ($3::uuid[])
), replayed AS (
	INSERT INTO webhook_deliveries AS d (organization_id, endpoint_id, event_id, event_number, status, due_at,
		created_at)
	SELECT $1, $2, id, number, 'pending', $4, $4 FROM found
	WHERE (SELECT count(*) FROM found) = (SELECT count(DISTINCT given) FROM unnest($3::uuid[]) given)` + dueAgain + `
)
SELECT coalesce(json_agg(id), '[]') FROM found`

	// replayRangeSQL makes the first $5 events after $3 and until $4 that the
	// endpoint wants due at $6; it returns how many these were, and the last.
	replayRangeSQL = `
WITH found AS MATERIALIZED (
	SELECT e.id, e.number
	FROM webhook_endpoints w
	JOIN events e ON e.organization_id = $1 AND e.number > $3 AND e.number <= $4
		AND (w.event_types = '{}' OR e.type = ANY (w.event_types))
	WHERE w.organization_id = $1 AND w.id = $2
	ORDER BY e.number LIMIT $5
), replayed AS (
	INSERT INTO webhook_deliveries AS d (organization_id, endpoint_id, event_id, event_number, status, due_at,
		created_at)
	SELECT $1, $2, id, number, 'pending', $6, $6 FROM found` + dueAgain + `
)
SELECT count(*) AS n, coalesce(max(number), 0) AS last FROM found`
)
