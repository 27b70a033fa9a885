-- +goose Up
ALTER TABLE shipment_history ADD COLUMN accepted jsonb; -- of an approval: check, result, details; NULL: nothing was found

-- +goose Down
ALTER TABLE shipment_history DROP COLUMN accepted;
