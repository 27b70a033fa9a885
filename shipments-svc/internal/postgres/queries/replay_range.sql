-- Makes the first $5 events after $3 and until $4 that the endpoint wants due at $6; it returns how many these were,
-- and the last.
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
	SELECT $1, $2, id, number, 'pending', $6, $6 FROM found
	ON CONFLICT (organization_id, endpoint_id, event_id) DO UPDATE
	SET status = 'pending', due_at = excluded.due_at, tries = 0
	WHERE NOT d.leased
)
SELECT count(*) AS n, coalesce(max(number), 0) AS last FROM found
