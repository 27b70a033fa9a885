-- Marks the document $3 as being read, if it waits for its run $4. That makes no version of the shipment: no event
-- announces one. It returns the document, if it is to be read in that run.
WITH locked AS (
	SELECT id FROM shipments WHERE organization_id = $1 AND id = $2 FOR UPDATE
), begun AS (
	UPDATE documents d SET status = 'processing' FROM locked
	WHERE d.organization_id = $1 AND d.shipment_id = $2 AND d.id = $3 AND d.run = $4 AND d.status = 'queued'
)
SELECT row_to_json(d) FROM (
	SELECT {document_columns} FROM documents WHERE organization_id = $1 AND shipment_id = $2 AND id = $3
		AND run = $4 AND status IN ('queued', 'processing') AND EXISTS (SELECT FROM locked)
) d
