-- +goose Up

-- The actor of what tokens-svc does by itself. NOT VALID: rows that exist
-- satisfied the narrower constraint; the next migration validates it without
-- blocking writers.
ALTER TABLE audit_events
    DROP CONSTRAINT audit_events_actor_kind_check,
    ADD CONSTRAINT audit_events_actor_kind_check CHECK (actor_kind IN ('user', 'token', 'operator', 'system')) NOT VALID;

-- +goose Down

-- NOT VALID: events of the system stay, as all events do.
ALTER TABLE audit_events
    DROP CONSTRAINT audit_events_actor_kind_check,
    ADD CONSTRAINT audit_events_actor_kind_check CHECK (actor_kind IN ('user', 'token', 'operator')) NOT VALID;
