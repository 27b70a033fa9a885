-- +goose Up

-- Which history the numbers of an organization's events belong to. A restore gives each another one: what was numbered
-- after the backup is lost, and the same numbers are given again.
ALTER TABLE event_heads ADD COLUMN epoch text NOT NULL DEFAULT left(gen_random_uuid()::text, 8);

-- +goose Down
ALTER TABLE event_heads DROP COLUMN epoch;
