-- +goose Up

-- Old hours are removed now and then.
CREATE INDEX token_usage_by_hour ON token_usage (hour);

-- +goose Down

DROP INDEX token_usage_by_hour;
