-- +goose Up

CREATE TABLE users (
    id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^usr_[0-7][0-9a-hjkmnp-tv-z]{25}$'),
    email text COLLATE "C" NOT NULL UNIQUE CHECK (email ~ '^[^@]+@[^@]+$'),
    name text NOT NULL,
    -- An argon2id hash, or empty: then this person signs in at an issuer only.
    password text NOT NULL,
    created_at timestamptz(3) NOT NULL
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
    role text NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'auditor')),
    joined_at timestamptz(3) NOT NULL,
    PRIMARY KEY (organization_id, user_id)
);

CREATE INDEX memberships_of_user ON memberships (user_id);

-- Open ones only: who joins, and who withdraws, deletes the row.
CREATE TABLE invitations (
    id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^inv_[0-7][0-9a-hjkmnp-tv-z]{25}$'),
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    email text COLLATE "C" NOT NULL,
    role text NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'auditor')),
    code_sum bytea NOT NULL CHECK (octet_length(code_sum) = 32),
    invited_by text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    UNIQUE (organization_id, email)
);

CREATE INDEX invitations_of_email ON invitations (email);

-- How often somebody tried to sign in, by SHA-256 of the account or address.
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
    data bytea NOT NULL,
    created_at timestamptz(3) NOT NULL,
    last_seen_at timestamptz(3) NOT NULL,
    expires_at timestamptz NOT NULL,
    address inet,
    user_agent text NOT NULL
);

CREATE INDEX sessions_of_user ON sessions (user_id, last_seen_at DESC);
CREATE INDEX sessions_by_end ON sessions (expires_at);

-- Forms that may be sent once, and what came of it.
CREATE TABLE used_forms (
    session_id text COLLATE "C" NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    nonce bytea NOT NULL,
    outcome text NOT NULL,
    PRIMARY KEY (session_id, nonce)
);

-- For those of one action.
CREATE INDEX audit_events_of_action ON audit_events (organization_id, action, sequence);

-- +goose Down

DROP INDEX audit_events_of_action;
DROP TABLE used_forms;
DROP TABLE sessions;
DROP TABLE sign_in_attempts;
DROP TABLE invitations;
DROP TABLE memberships;
DROP TABLE identities;
DROP TABLE users;
