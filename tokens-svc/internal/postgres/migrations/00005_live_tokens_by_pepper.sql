-- +goose NO TRANSACTION
-- +goose Up

-- For counting the tokens that need each version of the pepper.
CREATE INDEX CONCURRENTLY api_tokens_by_pepper ON api_tokens (pepper_version, expires_at) WHERE revoked_at IS NULL;

-- +goose Down

DROP INDEX CONCURRENTLY api_tokens_by_pepper;
