-- A page of shipments that meet the conditions, in an order, if they are at most {most}; the total of more
-- is {most} + 1. $2 is the offset and $3 the limit; see list_page for the 100.
WITH found AS MATERIALIZED (
	SELECT created_at, id, {key} AS key FROM shipments WHERE organization_id = $1{conditions}
	LIMIT {most} + 1
),
page AS MATERIALIZED (
	SELECT id, row_number() OVER (ORDER BY {order}) AS n FROM found ORDER BY n OFFSET $2 LIMIT 100
)
SELECT (SELECT count(*) FROM found) AS total, (
	SELECT coalesce(json_agg(s ORDER BY n), '[]')
	FROM (SELECT * FROM page ORDER BY n LIMIT $3) page
	CROSS JOIN LATERAL (SELECT {shipment_columns} FROM shipments WHERE organization_id = $1 AND id = page.id) s
) AS elements
