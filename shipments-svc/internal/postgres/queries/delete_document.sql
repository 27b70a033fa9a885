WITH detached AS (
	DELETE FROM documents WHERE organization_id = $1 AND shipment_id = $2 AND id = $3
)
DELETE FROM pallets WHERE organization_id = $1 AND shipment_id = $2 AND document_id = $3
