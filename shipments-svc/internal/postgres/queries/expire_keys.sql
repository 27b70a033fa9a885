-- Removes up to $3 answers that are no longer kept at $2, and returns how many these were.
WITH expired AS (
	DELETE FROM idempotency_keys WHERE organization_id = $1 AND (operation, key) IN (
		SELECT operation, key FROM idempotency_keys
		WHERE organization_id = $1 AND expires_at <= $2
		ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED)
	RETURNING key
)
SELECT count(*) FROM expired
