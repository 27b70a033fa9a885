-- Adds the comment $3 to the shipment $2, which at $4 the actor $5 named $6 wrote, unless there are $8. It returns
-- whether it was added. Without the shipment there is no row.
WITH added AS (
	INSERT INTO shipment_comments
	SELECT $1, $2, $3, $4, $5, $6, $7 FROM shipments WHERE organization_id = $1 AND id = $2 AND $8 > (
		SELECT count(*) FROM shipment_comments WHERE organization_id = $1 AND shipment_id = $2)
	RETURNING id
)
SELECT EXISTS (SELECT FROM added) FROM shipments WHERE organization_id = $1 AND id = $2
