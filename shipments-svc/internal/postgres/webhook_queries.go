package postgres

import "github.com/quayside/quayside/shipments-svc/internal/events/webhooks"

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

	rotateSecretSQL = `
WITH rotated AS (
	UPDATE webhook_endpoints SET secret = $3, previous_secret = secret, previous_until = $5, updated_at = $4
	WHERE organization_id = $1 AND id = $2 AND status <> 'deleted'
	RETURNING ` + endpointColumns + `
)
SELECT row_to_json(rotated) FROM rotated`

	// deleteEndpointSQL leaves a row without secrets until the deliveries are
	// removed, which can be many.
	deleteEndpointSQL = `
UPDATE webhook_endpoints SET status = 'deleted', secret = '', previous_secret = NULL, previous_until = NULL,
	url = '', description = ''
WHERE organization_id = $1 AND id = $2 AND status <> 'deleted'
RETURNING id`

	// sealedSQL finds the secrets of an organization.
	sealedSQL = `
SELECT id, secret, previous_secret FROM webhook_endpoints
WHERE organization_id = $1 AND status <> 'deleted'`

	// resealSQL replaces secrets unless they are others meanwhile.
	resealSQL = `
UPDATE webhook_endpoints SET secret = $4, previous_secret = $6
WHERE organization_id = $1 AND id = $2 AND secret = $3 AND previous_secret IS NOT DISTINCT FROM $5`
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
	INSERT INTO webhook_deliveries AS d (organization_id, endpoint_id, event_id, event_number, status, due_at, created_at)
	SELECT $1, $2, id, number, 'pending', $4, $4 FROM found
	WHERE (SELECT count(*) FROM found) = (SELECT count(DISTINCT given) FROM unnest($3::uuid[]) given)` + dueAgain + `
)
SELECT id FROM found`

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
	INSERT INTO webhook_deliveries AS d (organization_id, endpoint_id, event_id, event_number, status, due_at, created_at)
	SELECT $1, $2, id, number, 'pending', $6, $6 FROM found` + dueAgain + `
)
SELECT count(*) AS n, coalesce(max(number), 0) AS last FROM found`
)
