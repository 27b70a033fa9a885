-- Reads events after the number $2, at most $3, and the feed that they are of.
SELECT coalesce((SELECT min(number) FROM events WHERE organization_id = $1), coalesce(max(number), 0) + 1) AS first,
	coalesce(max(number), 0) AS head, coalesce(max(epoch), '') AS epoch, (
	SELECT coalesce(json_agg(e), '[]') FROM (
		SELECT organization_id, number, id, type, at, subject->'shipment' AS shipment, subject->'document' AS document,
			(SELECT epoch FROM event_heads WHERE organization_id = $1) AS epoch
		FROM events WHERE organization_id = $1 AND number > $2 ORDER BY number LIMIT $3
	) e) AS events
FROM event_heads WHERE organization_id = $1
