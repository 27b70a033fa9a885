-- The first page of a list without further filters, by $4, a status or '' for any: only its total needs counters.
-- $2 is the offset, which is 0 of the newest, and $3 the limit. The order is that of an index.
SELECT (SELECT coalesce(sum(n), 0)::bigint FROM shipment_months WHERE organization_id = $1 AND status = $4) AS total, (
	SELECT coalesce(json_agg(s), '[]') FROM (
		SELECT {shipment_columns} FROM shipments WHERE organization_id = $1{conditions}
		ORDER BY {order} OFFSET $2 LIMIT $3
	) s) AS elements
