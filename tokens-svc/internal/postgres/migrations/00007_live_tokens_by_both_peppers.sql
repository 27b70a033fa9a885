-- +goose NO TRANSACTION
-- +goose Up

-- For counting the tokens that need each version of the pepper, also for the MAC
-- of their bounds, and for finding those that have none.
DROP INDEX CONCURRENTLY IF EXISTS api_tokens_by_peppers;
CREATE INDEX CONCURRENTLY api_tokens_by_peppers ON api_tokens (pepper_version, bounds_version, expires_at) WHERE revoked_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS api_tokens_unsealed;
CREATE INDEX CONCURRENTLY api_tokens_unsealed ON api_tokens (id) WHERE bounds_version IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS api_tokens_by_pepper;

-- +goose Down

DROP INDEX CONCURRENTLY IF EXISTS api_tokens_by_pepper;
CREATE INDEX CONCURRENTLY api_tokens_by_pepper ON api_tokens (pepper_version, expires_at) WHERE revoked_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS api_tokens_unsealed;
DROP INDEX CONCURRENTLY IF EXISTS api_tokens_by_peppers;
