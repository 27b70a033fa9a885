-- +goose Up

-- The defaults are what the program of the version before implies, which can go
-- on inserting.
ALTER TABLE users
    -- Null: nothing has proved that the address belongs to the account's holder.
    ADD COLUMN verified_at timestamptz(3),
    -- Null: the account is not disabled.
    ADD COLUMN disabled_at timestamptz(3),
    -- An operator set the password; its holder must change it at sign-in.
    ADD COLUMN password_temporary boolean NOT NULL DEFAULT false,
    -- Sessions of an earlier epoch have ended.
    ADD COLUMN session_epoch bigint NOT NULL DEFAULT 0;

ALTER TABLE sessions ADD COLUMN session_epoch bigint NOT NULL DEFAULT 0;

-- An issuer asserted these addresses when it was linked.
UPDATE users SET verified_at = i.created_at FROM identities AS i WHERE i.user_id = users.id;

-- +goose Down

ALTER TABLE sessions DROP COLUMN session_epoch;
ALTER TABLE users
    DROP COLUMN session_epoch,
    DROP COLUMN password_temporary,
    DROP COLUMN disabled_at,
    DROP COLUMN verified_at;
