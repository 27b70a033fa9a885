-- +goose Up

-- Lists of shipments by the beginning of the vessel or of the destination, in any case. They
-- are columns, as under row-level security no index serves a condition that calls lower().
ALTER TABLE shipments
    ADD COLUMN vessel_lower      text COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(vessel)) STORED,
    ADD COLUMN destination_lower text COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(destination)) STORED;
CREATE INDEX shipments_of_vessel ON shipments (organization_id, vessel_lower, created_at DESC, id DESC);
CREATE INDEX shipments_of_destination ON shipments (organization_id, destination_lower, created_at DESC, id DESC);

-- +goose Down

DROP INDEX shipments_of_vessel, shipments_of_destination;
ALTER TABLE shipments DROP COLUMN vessel_lower, DROP COLUMN destination_lower;
