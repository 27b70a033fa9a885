-- Stores the shipment $2, begins its history by the actor $4 named $5, puts the events $3 into the outbox and counts
-- it. One statement is one round trip. Transactions wait for each other over counters: so they are the last that a
-- transaction changes, in the order of their key, for the shortest time. The counters of a day are spread over eight
-- shards, which follow from the id, so that none is ever negative.
WITH created AS (
	INSERT INTO shipments (organization_id, {shipment_columns})
	SELECT $1, {shipment_columns} FROM json_populate_record(NULL::shipments, $2::json)
	RETURNING id, version, created_at, status
), history AS (
	INSERT INTO shipment_history (organization_id, shipment_id, version, at, actor_id, actor_name, action, status)
	SELECT $1, id, version, created_at, $4, $5, 'create', status FROM created
), announced AS (
	INSERT INTO outbox (organization_id, id, type, at, subject)
	SELECT $1, id, type, at, jsonb_build_object('shipment', shipment, 'document', document)
	FROM json_to_recordset($3::json) AS event (id uuid, type text, at timestamptz, shipment jsonb, document jsonb)
)
INSERT INTO shipment_counts AS c (organization_id, status, day, shard, n)
SELECT $1, counter.status, (created_at AT TIME ZONE 'UTC')::date, get_byte(uuid_send(id), 15) % 8, 1
FROM created CROSS JOIN LATERAL (VALUES (''), (created.status)) counter (status) -- that of all, and of its status
ORDER BY counter.status
ON CONFLICT (organization_id, status, day, shard) DO UPDATE SET n = c.n + excluded.n
