-- Reads deliveries of the endpoint $2: of the status $3, or any; of events before $4; at most $5.
SELECT coalesce(json_agg(d), '[]') FROM (
	SELECT d.event_id, d.event_number, d.status, CASE WHEN NOT d.leased THEN d.due_at END AS due_at, d.attempts,
		d.created_at, CASE WHEN d.event_number IS NULL THEN 'webhook.test' ELSE e.type END AS type
	FROM webhook_deliveries d
	LEFT JOIN events e ON e.organization_id = $1 AND e.number = d.event_number
	WHERE d.organization_id = $1 AND d.endpoint_id = $2 AND ($3 = '' OR d.status = $3) AND d.event_id < $4
	ORDER BY d.event_id DESC LIMIT $5
) d
