-- +goose Up

-- What an organization requires of its tokens.
ALTER TABLE organizations
ADD COLUMN max_days integer NOT NULL DEFAULT 0 CHECK (max_days >= 0),
ADD COLUMN require_addresses boolean NOT NULL DEFAULT false,
ADD COLUMN owners_grant_admin boolean NOT NULL DEFAULT false;

-- +goose Down

ALTER TABLE organizations DROP COLUMN max_days, DROP COLUMN require_addresses, DROP COLUMN owners_grant_admin;
