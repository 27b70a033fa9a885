-- +goose Up

-- Secrets of an endpoint before previous_secret, each of which signs until its own time.
ALTER TABLE webhook_endpoints
    ADD COLUMN older_secrets bytea[] NOT NULL DEFAULT '{}',
    ADD COLUMN older_until timestamptz(3)[] NOT NULL DEFAULT '{}';

-- +goose Down
ALTER TABLE webhook_endpoints DROP COLUMN older_secrets, DROP COLUMN older_until;
