-- +goose NO TRANSACTION
-- +goose Up

-- Workers serve organizations in turn, so they look for each one's oldest job.
-- The index is built without blocking writers; what an interrupted build left
-- is removed first.
DROP INDEX CONCURRENTLY IF EXISTS jobs_turns;
CREATE INDEX CONCURRENTLY jobs_turns ON jobs (organization_id, claimable_at);

-- +goose Down

DROP INDEX CONCURRENTLY jobs_turns;
