-- +goose Up

-- The history of a shipment: one row for each version since this table exists.
-- The key prevents two changes from making the same version.
CREATE TABLE shipment_history (
    organization_id uuid           NOT NULL,
    shipment_id     uuid           NOT NULL,
    version         bigint         NOT NULL,
    at              timestamptz(3) NOT NULL,
    token_id        text           NOT NULL DEFAULT '', -- empty: not by a token
    action          text           NOT NULL,
    status          text           NOT NULL, -- after it
    reason          text           NOT NULL DEFAULT '',
    changes         jsonb          NOT NULL DEFAULT '[]', -- of an update: field, from, to
    PRIMARY KEY (organization_id, shipment_id, version),
    FOREIGN KEY (organization_id, shipment_id) REFERENCES shipments ON DELETE CASCADE
);

-- +goose Down

DROP TABLE shipment_history;
