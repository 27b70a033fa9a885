-- Stores an endpoint unless there are $8; it returns how many it stored.
WITH created AS (
	INSERT INTO webhook_endpoints (organization_id, id, url, description, event_types, status, secret,
		created_at, updated_at)
	SELECT $1, $2, $3, $4, coalesce($5::text[], '{}'), 'enabled', $6, $7, $7
	WHERE (SELECT count(*) FROM webhook_endpoints WHERE organization_id = $1 AND status <> 'deleted') < $8
	RETURNING id
)
SELECT count(*) FROM created
