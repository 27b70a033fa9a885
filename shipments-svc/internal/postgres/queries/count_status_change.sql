-- Counts the shipment $2 in the status $4 and no longer in the status $3. See create_shipment.
INSERT INTO shipment_counts AS c (organization_id, status, day, shard, n)
SELECT $1, moved.status, (s.created_at AT TIME ZONE 'UTC')::date, get_byte(uuid_send(s.id), 15) % 8, moved.n
FROM shipments s CROSS JOIN (VALUES ($3::text, -1), ($4::text, 1)) moved (status, n)
WHERE s.organization_id = $1 AND s.id = $2
ORDER BY moved.status
ON CONFLICT (organization_id, status, day, shard) DO UPDATE SET n = c.n + excluded.n
