-- Stores the document $3, or replaces it.
INSERT INTO documents (organization_id, shipment_id, {document_columns})
SELECT $1, $2, {document_columns} FROM json_populate_record(NULL::documents, $3::json)
ON CONFLICT (organization_id, shipment_id, id) DO UPDATE SET {document_updates}
