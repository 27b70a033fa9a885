-- +goose Up

CREATE TABLE organizations (
    -- Those that begin with org_7 are the partitions of test tokens' data.
    id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^org_0[0-9a-hjkmnp-tv-z]{25}$'),
    name text NOT NULL CHECK (name <> ''),
    created_at timestamptz(3) NOT NULL,
    -- What the organization requires of its tokens; 0 days: any life.
    max_days integer NOT NULL DEFAULT 0 CHECK (max_days >= 0),
    require_addresses boolean NOT NULL DEFAULT false,
    owners_grant_admin boolean NOT NULL DEFAULT false,
    -- Grows with each change.
    version bigint NOT NULL DEFAULT 0
);

-- Rows are never deleted: a revoked or expired token stays and is shown.
CREATE TABLE api_tokens (
    id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^tok_[0-9A-Za-z]{12}$'),
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    name text NOT NULL CHECK (name <> ''),
    environment text NOT NULL CHECK (environment IN ('live', 'test')),
    permissions text [] NOT NULL CHECK (cardinality(permissions) > 0),
    ip_allow cidr [] NOT NULL,
    rate_limit integer NOT NULL CHECK (rate_limit > 0),
    rate_window_seconds integer NOT NULL CHECK (rate_window_seconds > 0),
    created_by_kind text NOT NULL CHECK (created_by_kind IN ('user', 'token', 'operator')),
    created_by_id text COLLATE "C" NOT NULL,
    created_by_name text NOT NULL,
    -- The person whose role bounds the token; empty: the organization.
    owner_id text COLLATE "C" NOT NULL,
    -- The first token of the rotation chain.
    lineage text COLLATE "C" NOT NULL,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    revoked_reason text NOT NULL DEFAULT '',
    rotated_from text COLLATE "C" UNIQUE REFERENCES api_tokens (id),
    -- What rotated rotated_from into this token; empty without it.
    rotated_by_kind text NOT NULL DEFAULT '',
    rotated_by_id text COLLATE "C" NOT NULL DEFAULT '',
    rotated_by_name text NOT NULL DEFAULT '',
    rotated_to text COLLATE "C" UNIQUE REFERENCES api_tokens (id),
    pepper_version smallint NOT NULL,
    mac bytea NOT NULL CHECK (octet_length(mac) = 32),
    rev bigint NOT NULL UNIQUE,
    -- The expiry of which the token's holder was told.
    expiry_noticed timestamptz(3)
);

CREATE INDEX api_tokens_of_organization ON api_tokens (organization_id, created_at DESC, id DESC);
-- For counting an organization's active tokens: it holds none that was revoked.
CREATE INDEX api_tokens_not_revoked ON api_tokens (organization_id, expires_at) WHERE revoked_at IS NULL;
-- For counting the tokens that need each version of the pepper.
CREATE INDEX api_tokens_by_pepper ON api_tokens (pepper_version, expires_at) WHERE revoked_at IS NULL;

-- The newest revision, one row. A row and no sequence: it is locked until the
-- change commits, so revisions become visible in their order and have no gaps.
CREATE TABLE revision (
    value bigint NOT NULL CHECK (value >= 0),
    single boolean PRIMARY KEY DEFAULT true CHECK (single)
);

INSERT INTO revision (value) VALUES (0);

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

-- Old hours are removed now and then.
CREATE INDEX token_usage_by_hour ON token_usage (hour);

-- Requests of the management API with an Idempotency-Key, and forms that take effect
-- once. A row commits with the effect of its request.
CREATE TABLE idempotency_keys (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    -- SHA-256 of partition, operation, path, key and the token in question, or of the
    -- person and the form.
    key_sum bytea NOT NULL CHECK (octet_length(key_sum) = 32),
    -- SHA-256 of the body.
    fingerprint bytea NOT NULL CHECK (octet_length(fingerprint) = 32),
    token_id text COLLATE "C" NOT NULL,
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (organization_id, key_sum)
);

-- Expired rows are removed in batches.
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- The end of each audit log: of an organization, whose every change locks its row
-- first, or of a person, with their sign-ins.
CREATE TABLE audit_heads (
    log_id text COLLATE "C" PRIMARY KEY,
    sequence bigint NOT NULL CHECK (sequence >= 0),
    hash bytea NOT NULL CHECK (octet_length(hash) = 32)
);

CREATE TABLE audit_events (
    log_id text COLLATE "C" NOT NULL,
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
    PRIMARY KEY (log_id, sequence)
);

-- For whether a person was removed.
CREATE INDEX audit_events_of_removals ON audit_events (log_id, target) WHERE action = 'member.removed';

CREATE TABLE users (
    id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^usr_[0-7][0-9a-hjkmnp-tv-z]{25}$'),
    email text COLLATE "C" NOT NULL UNIQUE CHECK (email ~ '^[^@]+@[^@]+$'),
    name text NOT NULL,
    -- An argon2id hash, or empty: then this person signs in at an issuer only.
    password text NOT NULL,
    -- An operator set the password; its holder must change it at sign-in.
    password_temporary boolean NOT NULL DEFAULT false,
    created_at timestamptz(3) NOT NULL,
    -- Null: nothing has proved that the address belongs to the account's holder.
    verified_at timestamptz(3),
    -- Null: the account is not disabled.
    disabled_at timestamptz(3),
    -- Sessions of an earlier epoch have ended.
    session_epoch bigint NOT NULL DEFAULT 0,
    -- The mailed code, as SHA-256: to reset the password or to verify the address.
    code_sum text NOT NULL DEFAULT '',
    code_expires_at timestamptz(3),
    -- The sealed key of the authenticator app, or empty, and the newest time step of which a code
    -- was accepted.
    totp_key text NOT NULL DEFAULT '',
    totp_step bigint NOT NULL DEFAULT 0,
    -- SHA-256 of the unused recovery codes, with spaces between them.
    recovery_codes text NOT NULL DEFAULT '',
    passkeys jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(passkeys) = 'array')
);

-- Identities of users at OpenID Connect issuers.
CREATE TABLE identities (
    issuer text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL REFERENCES users (id),
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (issuer, subject),
    UNIQUE (user_id, issuer)
);

CREATE TABLE memberships (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    user_id text COLLATE "C" NOT NULL REFERENCES users (id),
    role text NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'reviewer', 'packer', 'auditor')),
    joined_at timestamptz(3) NOT NULL,
    PRIMARY KEY (organization_id, user_id)
);

CREATE INDEX memberships_of_user ON memberships (user_id);

-- Open ones only: joining and withdrawing delete the row.
CREATE TABLE invitations (
    id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^inv_[0-7][0-9a-hjkmnp-tv-z]{25}$'),
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    email text COLLATE "C" NOT NULL,
    role text NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'reviewer', 'packer', 'auditor')),
    code_sum bytea NOT NULL CHECK (octet_length(code_sum) = 32),
    invited_by text NOT NULL,
    -- The inviting person, whose present role must allow granting the role. Null:
    -- an operator invited.
    inviter_id text COLLATE "C" REFERENCES users (id),
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    -- The code went to the address, and to nobody else.
    mailed boolean NOT NULL DEFAULT false,
    UNIQUE (organization_id, email)
);

CREATE INDEX invitations_of_email ON invitations (email);

-- Attempts to sign in, by SHA-256 of the account or address.
CREATE TABLE sign_in_attempts (
    key bytea PRIMARY KEY CHECK (octet_length(key) = 32),
    attempts integer NOT NULL,
    since timestamptz(3) NOT NULL
);

CREATE TABLE sessions (
    id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^ses_[0-7][0-9a-hjkmnp-tv-z]{25}$'),
    token_sum text COLLATE "C" NOT NULL UNIQUE,
    -- Null until its owner has signed in.
    user_id text COLLATE "C" REFERENCES users (id),
    session_epoch bigint NOT NULL DEFAULT 0,
    data bytea NOT NULL,
    created_at timestamptz(3) NOT NULL,
    last_seen_at timestamptz(3) NOT NULL,
    expires_at timestamptz NOT NULL,
    address inet,
    user_agent text NOT NULL
);

CREATE INDEX sessions_of_user ON sessions (user_id, last_seen_at DESC);
CREATE INDEX sessions_by_end ON sessions (expires_at);

-- +goose Down

DROP TABLE sessions, sign_in_attempts, invitations, memberships, identities, users, audit_events,
    audit_heads, idempotency_keys, token_usage, changes, revision, api_tokens, organizations;
