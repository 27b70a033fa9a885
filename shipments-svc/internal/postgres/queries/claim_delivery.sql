-- Claims the delivery that has been due at $3 for longest, until $4, and reads what it takes to make it.
WITH next AS (
	SELECT d.event_id
	FROM webhook_deliveries d
	JOIN webhook_endpoints w ON w.organization_id = $1 AND w.id = $2 AND w.status = 'enabled'
	WHERE d.organization_id = $1 AND d.endpoint_id = $2 AND d.due_at <= $3
	ORDER BY d.due_at LIMIT 1 FOR UPDATE OF d SKIP LOCKED
), claimed AS (
	UPDATE webhook_deliveries d SET due_at = $4, leased = true, claim = claim + 1
	FROM next
	WHERE d.organization_id = $1 AND d.endpoint_id = $2 AND d.event_id = next.event_id
	RETURNING d.event_id, d.event_number, d.claim, d.tries, d.created_at
)
SELECT c.event_id, c.event_number, c.claim, c.tries, c.created_at, w.url,
	w.secret || ARRAY(
		SELECT s FROM unnest(w.previous_secret || w.older_secrets, w.previous_until || w.older_until) o (s, u) WHERE u > $3
	) AS secrets,
	(SELECT row_to_json(e) FROM (
		SELECT organization_id, number, id, type, at, subject->'shipment' AS shipment, subject->'document' AS document,
			(SELECT epoch FROM event_heads WHERE organization_id = $1) AS epoch
		FROM events WHERE organization_id = $1 AND number = c.event_number
	) e) AS event
FROM claimed c
JOIN webhook_endpoints w ON w.organization_id = $1 AND w.id = $2
