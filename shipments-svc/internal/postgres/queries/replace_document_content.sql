-- Takes the pallets of the document $3 away, which has others now, and stores its mappings.
WITH forgotten AS (
	DELETE FROM pallets WHERE organization_id = $1 AND shipment_id = $2 AND document_id = $3
)
UPDATE documents SET mappings = $4 WHERE organization_id = $1 AND shipment_id = $2 AND id = $3
