-- +goose NO TRANSACTION

-- +goose Up

-- Both are trusted: the owner of the database may create them.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- The container numbers that documents of the shipment name, as they are written and without spaces and hyphens.
ALTER TABLE shipments ADD COLUMN IF NOT EXISTS containers text NOT NULL DEFAULT '';

-- What is searched of each shipment, in lower case. Under row-level security no index serves LIKE, which is not
-- leakproof. So only search_shipments, which looks for the organization of the transaction, reads this table: no role
-- has a right to it, and its owner, as which that function works, is not subject to row-level security here.
CREATE TABLE IF NOT EXISTS shipment_search (
    organization_id uuid NOT NULL,
    shipment_id     uuid NOT NULL,
    text            text NOT NULL,
    PRIMARY KEY (organization_id, shipment_id),
    FOREIGN KEY (organization_id, shipment_id) REFERENCES shipments ON DELETE CASCADE
);
ALTER TABLE shipment_search ENABLE ROW LEVEL SECURITY;

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
CREATE OR REPLACE TRIGGER note_search AFTER INSERT OR UPDATE ON shipments FOR EACH ROW EXECUTE FUNCTION note_search();

-- Shipments of before. The owner sees them while row-level security is not forced.
ALTER TABLE shipments NO FORCE ROW LEVEL SECURITY;
INSERT INTO shipment_search
SELECT organization_id, id, lower(concat_ws(E'\n', reference, vessel, destination)) FROM shipments
ON CONFLICT DO NOTHING;
ALTER TABLE shipments FORCE ROW LEVEL SECURITY;

-- The organization is part of it: what others have, however much it is, costs nothing. As a text it is in no other
-- index, so that a search always uses this one.
CREATE INDEX CONCURRENTLY IF NOT EXISTS shipment_search_text ON shipment_search
    USING gin ((organization_id::text), text gin_trgm_ops) WITH (fastupdate = off);

-- It returns the shipments of the transaction's organization whose text contains the pattern, in which % and _ are
-- escaped, or raises QS001 if there are more than most.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION search_shipments(pattern text, most bigint) RETURNS SETOF uuid LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET enable_indexscan = off ROWS 100 AS $$
DECLARE
    n bigint;
BEGIN
    RETURN QUERY SELECT shipment_id FROM shipment_search
    WHERE organization_id::text = current_setting('quayside.organization', true)
        AND text LIKE '%' || lower(pattern) || '%'
    LIMIT most + 1;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n > most THEN
        RAISE EXCEPTION 'more than % shipments match', most USING ERRCODE = 'QS001';
    END IF;
END $$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION search_shipments FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search_shipments TO quayside_tenant;

-- +goose Down
DROP FUNCTION search_shipments;
DROP TRIGGER note_search ON shipments;
DROP FUNCTION note_search;
DROP TABLE shipment_search;
ALTER TABLE shipments DROP COLUMN containers;
-- The extensions stay: other things may use them.
