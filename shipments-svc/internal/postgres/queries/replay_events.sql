-- Makes the events $3 due at $4 if all of them exist; it returns those that do.
WITH found AS MATERIALIZED (
	SELECT id, number FROM events WHERE organization_id = $1 AND id = ANY ($3::uuid[])
), replayed AS (
	INSERT INTO webhook_deliveries AS d (organization_id, endpoint_id, event_id, event_number, status, due_at,
		created_at)
	SELECT $1, $2, id, number, 'pending', $4, $4 FROM found
	WHERE (SELECT count(*) FROM found) = (SELECT count(DISTINCT given) FROM unnest($3::uuid[]) given)
	ON CONFLICT (organization_id, endpoint_id, event_id) DO UPDATE
	SET status = 'pending', due_at = excluded.due_at, tries = 0
	WHERE NOT d.leased
)
SELECT coalesce(json_agg(id), '[]') FROM found
