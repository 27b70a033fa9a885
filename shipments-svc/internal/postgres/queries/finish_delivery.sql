-- Writes what became of the delivery of the event $3 that was claimed as $4, unless it was claimed again since; it
-- returns how many deliveries that was. By $9, what the attempt at $10 says about the endpoint, it also notes since
-- when that fails, and disables it if it wants no more or has failed since $11.
WITH finished AS (
	UPDATE webhook_deliveries SET status = $5, due_at = $6, leased = false, tries = tries + 1,
		attempts = CASE WHEN jsonb_array_length(attempts) < $8 THEN attempts ELSE attempts - 0 END || $7::jsonb
	WHERE organization_id = $1 AND endpoint_id = $2 AND event_id = $3 AND claim = $4 AND leased
	RETURNING event_id
), recovered AS (
	UPDATE webhook_endpoints SET failing_since = NULL
	WHERE organization_id = $1 AND id = $2 AND failing_since IS NOT NULL AND $9 = 'works'
		AND EXISTS (SELECT FROM finished)
), failing AS (
	UPDATE webhook_endpoints SET failing_since = $10
	WHERE organization_id = $1 AND id = $2 AND failing_since IS NULL AND $9 = 'fails' AND EXISTS (SELECT FROM finished)
), disabled AS (
	UPDATE webhook_endpoints SET status = 'disabled',
		disabled_reason = CASE WHEN $9 = 'left' THEN 'gone' ELSE 'failing' END, updated_at = $10
	WHERE organization_id = $1 AND id = $2 AND status = 'enabled'
		AND ($9 = 'left' OR $9 = 'fails' AND failing_since <= $11)
		AND EXISTS (SELECT FROM finished)
)
SELECT count(*) FROM finished
