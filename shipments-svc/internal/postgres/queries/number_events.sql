-- Moves the first $2 events of the outbox to the numbered ones, and makes the deliveries to endpoints that want them
-- due; it returns how many these were and how many seconds ago the oldest was announced. It must be a statement of
-- its own: it sees what was committed before the lock was got.
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
SELECT count(*) AS given, coalesce(extract(epoch FROM now() - min(at)), 0)::float8 AS waited FROM numbered
