-- +goose Up

-- Responses to requests with an Idempotency-Key. A row commits with the effect
-- of its request.
CREATE TABLE idempotency_keys (
    organization_id uuid        NOT NULL,
    operation       text        NOT NULL, -- method and path
    key             text        NOT NULL,
    expires_at      timestamptz NOT NULL,
    fingerprint     bytea       NOT NULL, -- of the request's body
    answer          bytea       NOT NULL,
    PRIMARY KEY (organization_id, operation, key)
);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (organization_id, expires_at);

-- +goose Down

DROP TABLE idempotency_keys;
