-- Reads the documents of the shipment $2.
SELECT (
	SELECT coalesce(json_agg(d), '[]') FROM (
		SELECT {document_columns} FROM documents WHERE organization_id = $1 AND shipment_id = $2 ORDER BY id
	) d)
FROM shipments WHERE organization_id = $1 AND id = $2
