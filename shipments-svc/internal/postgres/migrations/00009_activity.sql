-- +goose Up

-- Who did what to things that have no history of their own, or none any more: deleted shipments and webhook endpoints.
CREATE TABLE activity (
    organization_id uuid           NOT NULL,
    id              uuid           NOT NULL, -- later ones are higher
    at              timestamptz(3) NOT NULL,
    actor_id        text           NOT NULL,
    actor_name      text           NOT NULL,
    action          text           NOT NULL,
    subject         uuid           NOT NULL, -- the shipment or the endpoint
    name            text           NOT NULL, -- the reference of the shipment, or the host of the endpoint
    PRIMARY KEY (organization_id, id)
);
ALTER TABLE activity ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT ON activity TO quayside_tenant;
CREATE POLICY tenant ON activity TO quayside_tenant
    USING (organization_id = nullif(current_setting('quayside.organization', true), '')::uuid)
    WITH CHECK (organization_id = nullif(current_setting('quayside.organization', true), '')::uuid);

-- +goose Down
DROP TABLE activity;
