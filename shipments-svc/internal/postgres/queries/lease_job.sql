-- Makes a job claimable in $6 seconds, under the lease $7. Without a lease the attempt does not count. It returns how
-- many jobs it changed.
WITH leased AS (
	UPDATE jobs SET claimable_at = now() + $6 * interval '1 second', lease = $7,
		attempts = attempts - ($7::uuid IS NULL)::int
	WHERE organization_id = $1 AND shipment_id = $2 AND document_id = $3 AND run = $4 AND lease = $5
	RETURNING 1
)
SELECT count(*) FROM leased
