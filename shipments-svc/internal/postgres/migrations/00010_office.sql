-- +goose NO TRANSACTION

-- +goose Up

-- A search finds the voyage and the place of loading, too.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_search() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO shipment_search AS s
    VALUES (NEW.organization_id, NEW.id, lower(concat_ws(E'\n', NEW.reference, NEW.vessel, NEW.voyage, NEW.origin,
        NEW.destination, NEW.containers)))
    ON CONFLICT (organization_id, shipment_id) DO UPDATE SET text = excluded.text WHERE s.text <> excluded.text;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- Shipments of before, a few at a time, for which their changes wait. The lock has the latest texts copied. The owner sees
-- them while row-level security is not forced.
ALTER TABLE shipments NO FORCE ROW LEVEL SECURITY;
-- +goose StatementBegin
DO $$
DECLARE
    org uuid;
    last uuid;
BEGIN
    FOR org IN SELECT DISTINCT organization_id FROM shipment_search LOOP
        last := '00000000-0000-0000-0000-000000000000';
        WHILE last IS NOT NULL LOOP
            WITH few AS (
                SELECT id, lower(concat_ws(E'\n', reference, vessel, voyage, origin, destination, containers)) AS text
                FROM shipments WHERE organization_id = org AND id > last ORDER BY id LIMIT 200 FOR SHARE
            ), noted AS (
                UPDATE shipment_search s SET text = few.text FROM few
                WHERE s.organization_id = org AND s.shipment_id = few.id AND s.text <> few.text
            )
            SELECT (SELECT id FROM few ORDER BY id DESC LIMIT 1) INTO last;
            COMMIT;
        END LOOP;
    END LOOP;
END $$;
-- +goose StatementEnd
ALTER TABLE shipments FORCE ROW LEVEL SECURITY;

-- Pallets by the beginning of their number. Comparisons in the collation "C" are leakproof, so that it serves them under
-- row-level security.
CREATE INDEX CONCURRENTLY IF NOT EXISTS pallets_number ON pallets
    (organization_id, pallet_number COLLATE "C") INCLUDE (shipment_id);

-- It returns the shipments of an organization with a pallet whose number begins with the pattern, in which % and _ are
-- escaped, as it is typed or in one case, or whose SSCC it is; or it raises QS001 if more than most pallets do.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION search_pallets(org uuid, pattern text, most bigint) RETURNS SETOF uuid LANGUAGE plpgsql STABLE
SET enable_seqscan = off ROWS 100 AS $$
DECLARE
    typed text := regexp_replace(pattern, '\\(.)', '\1', 'g');
    n bigint;
BEGIN
    RETURN QUERY SELECT found.shipment_id
    FROM (SELECT DISTINCT unnest(ARRAY[typed, upper(typed), lower(typed)])) form (start) CROSS JOIN LATERAL (
        SELECT shipment_id FROM pallets
        WHERE organization_id = org AND pallet_number COLLATE "C" >= start
            AND pallet_number COLLATE "C" < start || chr(1114111)
        LIMIT most + 1
    ) found
    UNION ALL (SELECT shipment_id FROM pallets WHERE organization_id = org AND sscc = typed LIMIT most + 1);
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n > most THEN
        RAISE EXCEPTION 'more than % pallets match', most USING ERRCODE = 'QS001';
    END IF;
END $$;
-- +goose StatementEnd

-- What people look at first: shipments whose checks fail, and what people did.
CREATE INDEX CONCURRENTLY IF NOT EXISTS shipments_failing ON shipments (organization_id, created_at DESC, id DESC)
    WHERE status = 'ready_for_review' AND 'fail' = ANY (check_results);
CREATE INDEX CONCURRENTLY IF NOT EXISTS shipment_history_people ON shipment_history (organization_id, at DESC)
    WHERE actor_name <> '';

-- How many decisions an organization made on each UTC day, as the sum over the shards.
CREATE TABLE IF NOT EXISTS decision_counts (
    organization_id uuid     NOT NULL,
    day             date     NOT NULL,
    action          text     NOT NULL,
    shard           smallint NOT NULL,
    n               bigint   NOT NULL,
    PRIMARY KEY (organization_id, day, action, shard)
) WITH (fillfactor = 50);

ALTER TABLE decision_counts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON decision_counts TO quayside_tenant;
DROP POLICY IF EXISTS tenant ON decision_counts;
CREATE POLICY tenant ON decision_counts TO quayside_tenant
    USING (organization_id = nullif(current_setting('quayside.organization', true), '')::uuid)
    WITH CHECK (organization_id = nullif(current_setting('quayside.organization', true), '')::uuid);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION count_decision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO decision_counts AS c
    VALUES (NEW.organization_id, (NEW.at AT TIME ZONE 'UTC')::date, NEW.action,
        get_byte(uuid_send(NEW.shipment_id), 15) % 8, 1)
    ON CONFLICT (organization_id, day, action, shard) DO UPDATE SET n = c.n + 1;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- One transaction: between those that are counted here and those that the trigger counts, none is missed. Changes wait
-- meanwhile, for about a second for each five million entries of histories.
-- +goose StatementBegin
DO $$
BEGIN
    ALTER TABLE shipment_history NO FORCE ROW LEVEL SECURITY;
    CREATE OR REPLACE TRIGGER count_decision AFTER INSERT ON shipment_history FOR EACH ROW
        WHEN (NEW.action IN ('approve', 'reject')) EXECUTE FUNCTION count_decision();
    ALTER TABLE decision_counts NO FORCE ROW LEVEL SECURITY;
    DELETE FROM decision_counts;
    INSERT INTO decision_counts
    SELECT organization_id, (at AT TIME ZONE 'UTC')::date, action, get_byte(uuid_send(shipment_id), 15) % 8, count(*)
    FROM shipment_history WHERE action IN ('approve', 'reject') AND at > now() - interval '13 weeks' GROUP BY 1, 2, 3, 4;
    ALTER TABLE shipment_history FORCE ROW LEVEL SECURITY;
    ALTER TABLE decision_counts FORCE ROW LEVEL SECURITY;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER count_decision ON shipment_history;
DROP FUNCTION count_decision;
DROP TABLE decision_counts;
DROP INDEX shipment_history_people, shipments_failing, pallets_number;
DROP FUNCTION search_pallets;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_search() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO shipment_search AS s
    VALUES (NEW.organization_id, NEW.id,
        lower(concat_ws(E'\n', NEW.reference, NEW.vessel, NEW.destination, NEW.containers)))
    ON CONFLICT (organization_id, shipment_id) DO UPDATE SET text = excluded.text WHERE s.text <> excluded.text;
    RETURN NULL;
END $$;
-- +goose StatementEnd
