-- +goose Up

CREATE TABLE organizations (
    id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^org_[0-7][0-9a-hjkmnp-tv-z]{25}$'),
    name text NOT NULL CHECK (name <> ''),
    created_at timestamptz(3) NOT NULL
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
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    revoked_reason text NOT NULL DEFAULT '',
    pepper_version smallint NOT NULL,
    mac bytea NOT NULL CHECK (octet_length(mac) = 32),
    rev bigint NOT NULL UNIQUE
);

CREATE INDEX api_tokens_of_organization ON api_tokens (organization_id, created_at DESC, id DESC);

-- The newest revision, one row. A row and no sequence: it is locked until the
-- change commits, so revisions become visible in their order and have no gaps.
CREATE TABLE revision (
    value bigint NOT NULL CHECK (value >= 0),
    single boolean PRIMARY KEY DEFAULT true CHECK (single)
);

INSERT INTO revision (value) VALUES (0);

-- +goose Down

DROP TABLE revision;
DROP TABLE api_tokens;
DROP TABLE organizations;
