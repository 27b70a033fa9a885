-- Reads the comments on the shipment $2, the latest first.
SELECT coalesce(json_agg(c), '[]') FROM (
	SELECT at, json_build_object('id', actor_id, 'name', actor_name) AS by, text
	FROM shipment_comments WHERE organization_id = $1 AND shipment_id = $2 ORDER BY id DESC
) c
