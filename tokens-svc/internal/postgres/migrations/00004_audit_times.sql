-- +goose Up

-- For searching the newest events of a time.
CREATE INDEX audit_events_by_time ON audit_events (log_id, at, sequence);

-- +goose Down

DROP INDEX audit_events_by_time;
