-- +goose Up

DROP TABLE idempotency_leases;
ALTER TABLE idempotency_keys ADD sealed boolean NOT NULL DEFAULT false; -- the answer is encrypted

-- A dispatcher visits all organizations of which something expires or is sealed.
GRANT SELECT (organization_id) ON idempotency_keys TO quayside_dispatcher;
CREATE POLICY dispatcher ON idempotency_keys FOR SELECT TO quayside_dispatcher USING (true);
ALTER POLICY dispatcher ON webhook_endpoints USING (true);

-- +goose Down

ALTER POLICY dispatcher ON webhook_endpoints USING (status = 'enabled');
DROP POLICY dispatcher ON idempotency_keys;
REVOKE SELECT (organization_id) ON idempotency_keys FROM quayside_dispatcher;
ALTER TABLE idempotency_keys DROP sealed;

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

