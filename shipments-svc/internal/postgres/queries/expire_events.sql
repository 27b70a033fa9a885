-- Removes events that were numbered before $2, the first $3 at most, with their deliveries, and returns how many
-- these were. Numbers and their times rise together, so none is left out.
WITH expired AS (
	DELETE FROM events WHERE organization_id = $1 AND number IN (
		SELECT number FROM events WHERE organization_id = $1 ORDER BY number LIMIT $3) AND numbered_at < $2
	RETURNING id
), undelivered AS (
	DELETE FROM webhook_deliveries d USING expired, webhook_endpoints w
	WHERE w.organization_id = $1 AND d.organization_id = $1 AND d.endpoint_id = w.id AND d.event_id = expired.id
)
SELECT count(*) FROM expired
