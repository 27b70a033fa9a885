-- +goose NO TRANSACTION
-- +goose Up

-- Since when all attempts for the endpoint have failed; null: the last did not.
ALTER TABLE webhook_endpoints ADD COLUMN IF NOT EXISTS failing_since timestamptz(3);

-- For the count of overdue deliveries of all organizations. The index is built
-- without blocking writers; what an interrupted build left is removed first.
DROP INDEX CONCURRENTLY IF EXISTS webhook_deliveries_overdue;
CREATE INDEX CONCURRENTLY webhook_deliveries_overdue ON webhook_deliveries (due_at) WHERE due_at IS NOT NULL;

-- +goose Down

DROP INDEX CONCURRENTLY webhook_deliveries_overdue;
ALTER TABLE webhook_endpoints DROP COLUMN failing_since;
