-- Finds the SSCCs $3 in other shipments than $2. They are a relation, which is joined by hash where an index does not
-- serve: = ANY would compare each pallet with each SSCC where many pallets share one.
SELECT DISTINCT p.sscc, s.reference
FROM pallets p
JOIN shipments s ON s.organization_id = $1 AND s.id = p.shipment_id
WHERE p.organization_id = $1 AND p.sscc IN (SELECT unnest($3::text[])) AND p.shipment_id <> $2
	AND s.status <> 'rejected' AND s.created_at > $4
ORDER BY p.sscc, s.reference
LIMIT $5
