UPDATE webhook_endpoints SET url = $3, description = $4, event_types = coalesce($5::text[], '{}'), status = $6,
	disabled_reason = $7, updated_at = $8, failing_since = $9
WHERE organization_id = $1 AND id = $2 AND status <> 'deleted'
RETURNING id
