-- The data of the benchmark: organization 0 is the large one, the others are
-- small. It is as the service would have written it: every counter matches the
-- rows, and there is one also for each status that shipments had before.
CREATE TABLE scale_organizations AS
SELECT nth, gen_random_uuid() AS id,
    CASE nth WHEN 0 THEN current_setting('scale.large') ELSE current_setting('scale.small') END::integer AS shipments
FROM generate_series(0, current_setting('scale.others')::integer) nth;

-- A UUIDv7 of a time.
CREATE FUNCTION scale_id(at timestamptz) RETURNS uuid LANGUAGE sql VOLATILE AS $$
    SELECT encode(set_byte(overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM at) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 6, 112 + (random() * 15)::integer), 'hex')::uuid
$$;

-- Two years up to now, in which two seasons a year have three times as many
-- shipments a day as the months between. Shipments that are older than three days
-- are done, but for a few.
INSERT INTO shipments (organization_id, id, version, status, reference, vessel, origin, destination, pallets_count,
    check_results, created_at, approved_at)
SELECT organization_id, scale_id(at), 1, status, to_char(at, '"PO-"YYMM') || '-' || i / 3,
    (ARRAY['MSC Carmen', 'Maersk Lavras', 'CMA CGM Jacques Saade', 'Ever Golden', 'Santa Rosa', 'Polar Chile'])[1 + i % 6],
    (ARRAY['Cape Town, South Africa', 'Valparaíso, Chile', 'Callao, Peru', 'Durban, South Africa', 'Cartagena, Colombia'])[1 + i % 5],
    (ARRAY['Rotterdam, Netherlands', 'London Gateway, United Kingdom', 'Hamburg, Germany', 'Philadelphia, United States'])[1 + i % 4],
    CASE WHEN status IN ('pending', 'processing') THEN 0 ELSE 20 END,
    CASE WHEN status IN ('pending', 'processing') THEN '{}' WHEN i % 50 = 0 THEN '{pass,warn,fail,skip}'
        WHEN i % 5 = 0 THEN '{pass,warn,skip}' ELSE '{pass,skip}' END::text[],
    at, CASE status WHEN 'approved' THEN at + interval '20 hours' END
FROM (
    SELECT o.id AS organization_id, i, at,
        CASE WHEN at > now() - interval '3 days'
            THEN (ARRAY['pending', 'pending', 'processing', 'ready_for_review', 'approved', 'rejected'])[1 + floor(random() * 6)::integer]
            WHEN random() < 0.92 THEN 'approved'
            ELSE (ARRAY['rejected', 'rejected', 'ready_for_review', 'pending'])[1 + floor(random() * 4)::integer] END AS status
    FROM scale_organizations o, generate_series(0, o.shipments - 1) i,
        LATERAL (SELECT (i + random()) / o.shipments AS done OFFSET 0) way,
        LATERAL (SELECT now() - interval '730 days' * (done + 0.04 * sin(4 * pi() * done)) AS at OFFSET 0) instant
) made
ORDER BY at;

INSERT INTO shipment_counts (organization_id, status, day, shard, n)
SELECT organization_id, coalesce(status, ''), day, shard, count(*)
FROM (SELECT *, (created_at AT TIME ZONE 'UTC')::date AS day, get_byte(uuid_send(id), 15) % 8 AS shard FROM shipments) s
GROUP BY organization_id, day, shard, ROLLUP (status);

INSERT INTO shipment_counts (organization_id, status, day, shard, n)
SELECT organization_id, once, day, shard, 0
FROM shipment_counts, unnest(ARRAY['pending', 'processing', 'ready_for_review']) once
WHERE status = '' ON CONFLICT DO NOTHING;

INSERT INTO shipment_history (organization_id, shipment_id, version, at, token_id, action, status)
SELECT organization_id, id, version, created_at, 'tok_4fZyo82mVyR1', 'create', status FROM shipments;

-- Cargo has what came in the last ten days.
INSERT INTO pallets (organization_id, shipment_id, position, pallet_number, produce_name, calibre, boxes, box_weight_g, sscc)
SELECT organization_id, id, p, sscc, 'Avocado Hass', '18', 264, 4000, sscc
FROM (
    SELECT organization_id, id, p, '00614141' || lpad((random() * 9999999999)::bigint::text, 10, '0') AS sscc
    FROM shipments, generate_series(1, pallets_count) p
    WHERE created_at > now() - interval '10 days'
) labelled;

INSERT INTO checks (organization_id, shipment_id, position, name, result, details)
SELECT organization_id, id, c, 'check_' || c, check_results[1 + c % cardinality(check_results)], 'All 20 pallets have what they need.'
FROM shipments, generate_series(1, 21) c
WHERE created_at > now() - interval '10 days' AND check_results <> '{}';
