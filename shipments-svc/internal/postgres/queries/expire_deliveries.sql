-- Removes up to $3 tests from before $2, and as many deliveries of deleted endpoints with those endpoints that have
-- none any more; it returns how many there were, of whichever were more.
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
SELECT greatest((SELECT count(*) FROM tests), (SELECT count(*) FROM orphans))
