-- Removes a job that still is of the run $4 and has the lease $5.
DELETE FROM jobs
WHERE organization_id = $1 AND shipment_id = $2 AND document_id = $3 AND run = $4 AND lease = $5
