-- +goose Up
ALTER TABLE audit_events VALIDATE CONSTRAINT audit_events_actor_kind_check;

-- +goose Down
SELECT 1;
