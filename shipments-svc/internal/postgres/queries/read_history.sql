-- Reads entries of a shipment's history, after the first $3 and at most $4, and how many there are. Without the
-- shipment there is no row.
SELECT (SELECT count(*) FROM shipment_history WHERE organization_id = $1 AND shipment_id = $2) AS total, (
	SELECT coalesce(json_agg(h), '[]') FROM (
		SELECT version, at, json_build_object('id', actor_id, 'name', actor_name) AS by, action, status, reason,
			nullif(changes, '[]') AS changes, accepted, document_id
		FROM shipment_history WHERE organization_id = $1 AND shipment_id = $2
		ORDER BY version DESC OFFSET $3 LIMIT $4
	) h) AS elements
FROM shipments WHERE organization_id = $1 AND id = $2
