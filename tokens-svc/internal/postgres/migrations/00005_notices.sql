-- +goose Up

-- The expiry of which the token's holder was told.
ALTER TABLE api_tokens ADD COLUMN expiry_noticed timestamptz(3);

-- +goose Down

ALTER TABLE api_tokens DROP COLUMN expiry_noticed;
