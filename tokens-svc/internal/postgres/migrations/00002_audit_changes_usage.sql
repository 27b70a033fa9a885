-- +goose Up

-- The defaults are what tokens were before: made by operators. The program of
-- the version before can go on inserting.
ALTER TABLE api_tokens
    ADD COLUMN created_by_kind text NOT NULL DEFAULT 'operator' CHECK (created_by_kind IN ('user', 'token', 'operator')),
    ADD COLUMN created_by_id text COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN created_by_name text NOT NULL DEFAULT 'command line',
    ADD COLUMN rotated_from text COLLATE "C" UNIQUE REFERENCES api_tokens (id),
    ADD COLUMN rotated_to text COLLATE "C" UNIQUE REFERENCES api_tokens (id);

-- The change stream to gateways, one row a revision.
CREATE TABLE changes (
    rev bigint PRIMARY KEY,
    token_id text COLLATE "C" NOT NULL,
    kind text NOT NULL CHECK (kind IN ('created', 'updated', 'rotated', 'revoked'))
);

-- One row a token and hour in which it was used. The newest says when and from
-- where the token was last used. No foreign key: its lock would make reports
-- wait for changes, and tokens are never deleted.
CREATE TABLE token_usage (
    token_id text COLLATE "C" NOT NULL,
    hour timestamptz(0) NOT NULL,
    requests bigint NOT NULL CHECK (requests >= 0),
    refused bigint NOT NULL CHECK (refused >= 0),
    last_used_at timestamptz(3) NOT NULL,
    address inet,
    PRIMARY KEY (token_id, hour)
);

-- The end of each organization's audit log. Every change in the organization
-- locks its row first.
CREATE TABLE audit_heads (
    organization_id text COLLATE "C" PRIMARY KEY REFERENCES organizations (id),
    sequence bigint NOT NULL CHECK (sequence >= 0),
    hash bytea NOT NULL CHECK (octet_length(hash) = 32)
);

CREATE TABLE audit_events (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    sequence bigint NOT NULL CHECK (sequence > 0),
    at timestamptz(3) NOT NULL,
    actor_kind text NOT NULL CHECK (actor_kind IN ('user', 'token', 'operator')),
    actor_id text NOT NULL,
    actor_name text NOT NULL,
    address inet,
    request_id text NOT NULL,
    action text NOT NULL CHECK (action <> ''),
    target text NOT NULL CHECK (target <> ''),
    details jsonb NOT NULL CHECK (jsonb_typeof(details) = 'object'),
    previous bytea NOT NULL CHECK (octet_length(previous) = 32),
    hash bytea NOT NULL CHECK (octet_length(hash) = 32),
    PRIMARY KEY (organization_id, sequence)
);

-- +goose StatementBegin
CREATE FUNCTION refuse_to_rewrite_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit_events is append-only';
END
$$;
-- +goose StatementEnd

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite_history();

-- +goose Down

DROP TABLE audit_events;
DROP FUNCTION refuse_to_rewrite_history;
DROP TABLE audit_heads;
DROP TABLE token_usage;
DROP TABLE changes;
ALTER TABLE api_tokens
    DROP COLUMN rotated_to,
    DROP COLUMN rotated_from,
    DROP COLUMN created_by_name,
    DROP COLUMN created_by_id,
    DROP COLUMN created_by_kind;
