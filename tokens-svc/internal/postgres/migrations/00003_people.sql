-- +goose Up

-- When the person of a session proved who they are; null: not known.
ALTER TABLE sessions ADD COLUMN proved_at timestamptz(3);

-- The mailed code that verifies the address, as SHA-256. code_sum is that which resets the password.
-- device_key marks browsers of an account without a password.
ALTER TABLE users ADD COLUMN verify_sum text NOT NULL DEFAULT '', ADD COLUMN verify_expires_at timestamptz(3),
    ADD COLUMN device_key text NOT NULL DEFAULT gen_random_uuid()::text;

-- +goose Down

ALTER TABLE users DROP COLUMN verify_sum, DROP COLUMN verify_expires_at, DROP COLUMN device_key;
ALTER TABLE sessions DROP COLUMN proved_at;
