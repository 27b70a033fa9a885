-- +goose Up

ALTER TABLE checks ADD COLUMN suggestions jsonb; -- texts that the shipment could have instead; null: none

-- What people wrote about a shipment to each other. It is no change of the shipment.
CREATE TABLE shipment_comments (
    organization_id uuid           NOT NULL,
    shipment_id     uuid           NOT NULL,
    id              uuid           NOT NULL, -- later ones are higher
    at              timestamptz(3) NOT NULL,
    actor_id        text           NOT NULL,
    actor_name      text           NOT NULL,
    text            text           NOT NULL,
    PRIMARY KEY (organization_id, shipment_id, id),
    FOREIGN KEY (organization_id, shipment_id) REFERENCES shipments ON DELETE CASCADE
);
ALTER TABLE shipment_comments ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT ON shipment_comments TO quayside_tenant;
CREATE POLICY tenant ON shipment_comments TO quayside_tenant
    USING (organization_id = nullif(current_setting('quayside.organization', true), '')::uuid)
    WITH CHECK (organization_id = nullif(current_setting('quayside.organization', true), '')::uuid);

-- +goose Down
DROP TABLE shipment_comments;
ALTER TABLE checks DROP COLUMN suggestions;
