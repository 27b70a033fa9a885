-- +goose Up

-- The outbox: for each recipient, text and organization or account that it is about, what has not been sent yet. A row
-- without events delays the next mail of its kind until due_at, and is removed afterwards.
CREATE TABLE mails (
    recipient text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    about text COLLATE "C" NOT NULL,
    -- What the mail is about, oldest first; never a secret.
    letters jsonb [] NOT NULL,
    -- The number of events, also of those beyond the bound of letters.
    events integer NOT NULL CHECK (events >= 0),
    attempts integer NOT NULL DEFAULT 0,
    -- When it is sent, or sent again.
    due_at timestamptz(3) NOT NULL,
    -- When it is no longer sent.
    expires_at timestamptz(3) NOT NULL,
    PRIMARY KEY (recipient, name, about)
);

CREATE INDEX mails_by_time ON mails (due_at);

-- For the tokens that expire soon.
CREATE INDEX api_tokens_by_end ON api_tokens (expires_at) WHERE revoked_at IS NULL AND rotated_to IS NULL;

-- +goose Down

DROP INDEX api_tokens_by_end;
DROP TABLE mails;
