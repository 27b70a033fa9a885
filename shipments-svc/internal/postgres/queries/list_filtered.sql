-- A page of shipments that meet the conditions. It counts and skips them in an index that holds only those. $2 is the
-- offset and $3 the limit; see list_page for the 100.
WITH selected AS {materialized} (
	SELECT created_at, id FROM shipments WHERE organization_id = $1{conditions}
),
page AS MATERIALIZED (
	SELECT created_at, id FROM selected
	ORDER BY created_at DESC, id DESC
	OFFSET $2 LIMIT 100
)
SELECT (SELECT count(*) FROM selected) AS total, (
	SELECT coalesce(json_agg(s ORDER BY s.created_at DESC, s.id DESC), '[]')
	FROM (SELECT * FROM page ORDER BY created_at DESC, id DESC LIMIT $3) page
	CROSS JOIN LATERAL (SELECT {shipment_columns} FROM shipments WHERE organization_id = $1 AND id = page.id) s
) AS elements
