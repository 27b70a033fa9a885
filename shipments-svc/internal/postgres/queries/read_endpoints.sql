-- Reads the endpoints of the organization, the oldest first.
SELECT coalesce(json_agg(w), '[]') FROM (
	SELECT id, url, description, event_types, status, disabled_reason, failing_since, previous_until, created_at,
		updated_at
	FROM webhook_endpoints WHERE organization_id = $1 AND status <> 'deleted' ORDER BY id
) w
