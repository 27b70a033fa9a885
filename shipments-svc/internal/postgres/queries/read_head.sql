-- Reads a shipment without its parts as JSON. $1 is the organization, $2 the shipment.
SELECT row_to_json(head) FROM (
	SELECT {shipment_columns},
		(SELECT count(*) FROM documents WHERE organization_id = $1 AND shipment_id = $2 AND status <> 'failed') AS documents,
		EXISTS (SELECT FROM shipment_history WHERE organization_id = $1 AND shipment_id = $2
			AND action IN ('approve', 'reject')) AS decided
	FROM shipments
	WHERE organization_id = $1 AND id = $2
) head
