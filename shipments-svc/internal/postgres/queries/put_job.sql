-- Makes a job of the document $3, or makes it anew.
INSERT INTO jobs AS j (organization_id, shipment_id, document_id, run) VALUES ($1, $2, $3, $4)
ON CONFLICT (organization_id, shipment_id, document_id) DO UPDATE
SET run = excluded.run, attempts = 0, claimable_at = now(), lease = NULL
