-- +goose Up

-- The role as which every command but migrate works: it may use the tables,
-- append to audit_events, and neither alter tables nor remove or change what is
-- kept for good. Roles belong to the whole server: one that exists is used.
-- +goose StatementBegin
DO $$
DECLARE
    -- From Postgres 16 on, the creator of a role is a member without the right to SET it.
    assume text := CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'quayside_tokens') THEN
        BEGIN
            CREATE ROLE quayside_tokens NOLOGIN;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL; -- a concurrent migration of another database created it
        END;
    END IF;
    IF NOT pg_has_role(current_user, 'quayside_tokens', assume) THEN
        GRANT quayside_tokens TO CURRENT_USER;
    END IF;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE insufficient_privilege USING MESSAGE = format(
        '%I may not create or get the role quayside_tokens: a DBA can do CREATE ROLE quayside_tokens NOLOGIN and GRANT quayside_tokens TO %1$I', current_user);
END $$;
-- +goose StatementEnd

GRANT SELECT, INSERT ON audit_events, changes, organizations TO quayside_tokens;
GRANT SELECT, INSERT, UPDATE ON api_tokens, audit_heads, users TO quayside_tokens;
GRANT SELECT, UPDATE ON revision TO quayside_tokens;
GRANT SELECT, INSERT, UPDATE, DELETE ON
    identities, idempotency_keys, invitations, memberships, sessions, sign_in_attempts, token_usage, used_forms
    TO quayside_tokens;

-- +goose Down

-- The role stays: other databases of the server may use it.
REVOKE ALL ON
    api_tokens, audit_events, audit_heads, changes, identities, idempotency_keys, invitations, memberships,
    organizations, revision, sessions, sign_in_attempts, token_usage, used_forms, users
    FROM quayside_tokens;
