-- +goose Up

-- Idempotency keys of requests that are being prepared, outside of a transaction.
-- A lease that has ended belongs to a program that died.
CREATE TABLE idempotency_leases (
    organization_id uuid        NOT NULL,
    operation       text        NOT NULL, -- method and path
    key             text        NOT NULL,
    lease           uuid        NOT NULL, -- of the request that has it
    ends_at         timestamptz NOT NULL,
    PRIMARY KEY (organization_id, operation, key)
);
ALTER TABLE idempotency_leases ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_leases TO quayside_tenant;
CREATE POLICY tenant ON idempotency_leases TO quayside_tenant
    USING (organization_id = nullif(current_setting('quayside.organization', true), '')::uuid)
    WITH CHECK (organization_id = nullif(current_setting('quayside.organization', true), '')::uuid);

-- +goose Down

DROP TABLE idempotency_leases;
