-- Removes a shipment that still has the status $3 and the version $4, with all that belongs to it, announces the
-- events $5, and notes as the activity $6 that the actor $8 named $9 did it at $7. It returns how many shipments that
-- was. See create_shipment.
WITH deleted AS (
	DELETE FROM shipments
	WHERE organization_id = $1 AND id = $2 AND status = $3 AND version = $4
	RETURNING id, created_at, status, reference
), noted AS (
	INSERT INTO activity SELECT $1, $6, $7, $8, $9, 'delete_shipment', id, reference FROM deleted
), announced AS (
	INSERT INTO outbox (organization_id, id, type, at, subject)
	SELECT $1, id, type, at, jsonb_build_object('shipment', shipment, 'document', document)
	FROM json_to_recordset($5::json) AS event (id uuid, type text, at timestamptz, shipment jsonb, document jsonb)
	WHERE EXISTS (SELECT FROM deleted)
), counted AS (
	INSERT INTO shipment_counts AS c (organization_id, status, day, shard, n)
	SELECT $1, counter.status, (created_at AT TIME ZONE 'UTC')::date, get_byte(uuid_send(id), 15) % 8, -1
	FROM deleted CROSS JOIN LATERAL (VALUES (''), (deleted.status)) counter (status)
	ORDER BY counter.status
	ON CONFLICT (organization_id, status, day, shard) DO UPDATE SET n = c.n + excluded.n
)
SELECT count(*) FROM deleted
