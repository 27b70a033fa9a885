-- Keeps the secrets that still sign at $4, unless there are more than $6 of them.
WITH rotated AS (
	UPDATE webhook_endpoints SET secret = $3, previous_secret = secret, previous_until = $5, updated_at = $4,
		(older_secrets, older_until) = (
			SELECT coalesce(array_agg(s ORDER BY u DESC), '{}'), coalesce(array_agg(u ORDER BY u DESC), '{}')
			FROM unnest(older_secrets || previous_secret, older_until || previous_until) older (s, u) WHERE u > $4)
	WHERE organization_id = $1 AND id = $2 AND status <> 'deleted'
		AND (SELECT count(*) FROM unnest(older_until || previous_until) u WHERE u > $4) <= $6
	RETURNING id, url, description, event_types, status, disabled_reason, failing_since, previous_until,
		created_at, updated_at
)
SELECT row_to_json(rotated) FROM rotated
