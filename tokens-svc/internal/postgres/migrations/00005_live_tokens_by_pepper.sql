-- +goose NO TRANSACTION
-- +goose Up

-- For counting the tokens that need each version of the pepper. An attempt that
-- did not get a lock leaves an invalid index, which the next one removes.
DROP INDEX CONCURRENTLY IF EXISTS api_tokens_by_pepper;
CREATE INDEX CONCURRENTLY api_tokens_by_pepper ON api_tokens (pepper_version, expires_at) WHERE revoked_at IS NULL;

-- +goose Down

DROP INDEX CONCURRENTLY IF EXISTS api_tokens_by_pepper;
