-- +goose Up

-- Requests of the management API with an Idempotency-Key. A row commits with the
-- effect of its request. No foreign keys: creating them would lock the other
-- tables, and neither organizations nor tokens are ever deleted.
CREATE TABLE idempotency_keys (
    organization_id text COLLATE "C" NOT NULL,
    -- SHA-256 of partition, operation, path, key and the token in question.
    key_sum bytea NOT NULL CHECK (octet_length(key_sum) = 32),
    -- SHA-256 of the body.
    fingerprint bytea NOT NULL CHECK (octet_length(fingerprint) = 32),
    token_id text COLLATE "C" NOT NULL,
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (organization_id, key_sum)
);

-- Expired rows are removed in batches.
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- +goose Down

DROP TABLE idempotency_keys;
