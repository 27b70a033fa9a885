-- +goose Up

-- The mailed code of an account, as SHA-256: to reset the password or to verify the address.
ALTER TABLE users ADD COLUMN code_sum text NOT NULL DEFAULT '', ADD COLUMN code_expires_at timestamptz(3);

-- The code went to the address, and to nobody else.
ALTER TABLE invitations ADD COLUMN mailed boolean NOT NULL DEFAULT false;

-- +goose Down

ALTER TABLE users DROP COLUMN code_sum, DROP COLUMN code_expires_at;
ALTER TABLE invitations DROP COLUMN mailed;
