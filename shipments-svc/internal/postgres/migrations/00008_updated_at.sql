-- +goose NO TRANSACTION

-- +goose Up

-- When the version of the shipment was made. An earlier version of the program may still create shipments.
ALTER TABLE shipments ADD COLUMN IF NOT EXISTS updated_at timestamptz(3) NOT NULL DEFAULT now();

-- Shipments of before. The owner sees them while row-level security is not forced.
ALTER TABLE shipments NO FORCE ROW LEVEL SECURITY;
ALTER TABLE shipment_history NO FORCE ROW LEVEL SECURITY;
UPDATE shipments s SET updated_at = h.at FROM shipment_history h
WHERE h.organization_id = s.organization_id AND h.shipment_id = s.id AND h.version = s.version;
ALTER TABLE shipment_history FORCE ROW LEVEL SECURITY;
ALTER TABLE shipments FORCE ROW LEVEL SECURITY;

-- It has what a list is ordered by and the status, so that changed shipments are counted in it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS shipments_updated ON shipments
    (organization_id, updated_at) INCLUDE (created_at, id, status);

-- +goose Down
ALTER TABLE shipments DROP COLUMN updated_at;
