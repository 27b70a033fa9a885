-- +goose Up

-- For counting an organization's active tokens: it holds none that was revoked.
CREATE INDEX api_tokens_not_revoked ON api_tokens (organization_id, expires_at) WHERE revoked_at IS NULL;

-- For the events of one token, and for whether a person was removed.
CREATE INDEX audit_events_of_target ON audit_events (log_id, target, sequence);
DROP INDEX audit_events_of_action;

-- +goose Down

CREATE INDEX audit_events_of_action ON audit_events (log_id, action, sequence);
DROP INDEX audit_events_of_target, api_tokens_not_revoked;
