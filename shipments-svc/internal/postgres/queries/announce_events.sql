-- Puts the events $2 into the outbox.
INSERT INTO outbox (organization_id, id, type, at, subject)
SELECT $1, id, type, at, jsonb_build_object('shipment', shipment, 'document', document)
FROM json_to_recordset($2::json) AS event (id uuid, type text, at timestamptz, shipment jsonb, document jsonb)
