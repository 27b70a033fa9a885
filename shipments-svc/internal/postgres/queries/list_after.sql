-- The first $3 shipments after the one that was created at $6 and has the id $2, of those that meet the conditions: they
-- are found by the key of an index, so that each costs the same however many precede it.
SELECT coalesce(json_agg(s), '[]') FROM (
	SELECT {shipment_columns} FROM shipments
	WHERE organization_id = $1 AND (created_at, id) < ($6, $2){conditions}
	ORDER BY created_at DESC, id DESC LIMIT $3
) s
