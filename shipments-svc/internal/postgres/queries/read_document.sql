-- Reads the document $3 of the shipment $2 with its mappings, or null.
SELECT (SELECT row_to_json(d) FROM (
	SELECT {document_columns}, mappings FROM documents
	WHERE organization_id = $1 AND shipment_id = $2 AND id = $3) d)
FROM shipments WHERE organization_id = $1 AND id = $2
