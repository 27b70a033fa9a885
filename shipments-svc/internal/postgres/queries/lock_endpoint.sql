-- Reads the endpoint $2, and locks it until the transaction ends.
SELECT row_to_json(w) FROM (
	SELECT id, url, description, event_types, status, disabled_reason, failing_since, previous_until, created_at,
		updated_at
	FROM webhook_endpoints WHERE organization_id = $1 AND id = $2 AND status <> 'deleted' FOR UPDATE
) w
