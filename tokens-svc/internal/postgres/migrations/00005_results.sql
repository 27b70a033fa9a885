-- +goose Up

-- Requests by result. refused are those with 401, 403 and 429; requests are all others, of which rejected had another
-- 4xx, and failed 5xx. token_id is also that of an organization: then the row is of all of its tokens.
ALTER TABLE token_usage ADD COLUMN unauthorized bigint NOT NULL DEFAULT 0, ADD COLUMN forbidden bigint NOT NULL DEFAULT 0,
    ADD COLUMN limited bigint NOT NULL DEFAULT 0, ADD COLUMN rejected bigint NOT NULL DEFAULT 0,
    ADD COLUMN failed bigint NOT NULL DEFAULT 0;

-- The last errors of a token: at most 20, newest first.
CREATE TABLE token_errors (
    token_id text COLLATE "C" PRIMARY KEY,
    errors jsonb NOT NULL CHECK (jsonb_array_length(errors) BETWEEN 1 AND 20),
    last_at timestamptz(3) NOT NULL
);

-- Old ones are removed.
CREATE INDEX token_errors_by_age ON token_errors (last_at);

-- +goose Down

DROP TABLE token_errors;
DELETE FROM token_usage WHERE token_id NOT LIKE 'tok%';
ALTER TABLE token_usage DROP COLUMN unauthorized, DROP COLUMN forbidden, DROP COLUMN limited, DROP COLUMN rejected,
    DROP COLUMN failed;
