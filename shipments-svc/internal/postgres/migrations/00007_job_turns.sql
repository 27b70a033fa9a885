-- +goose Up

-- Workers serve organizations in turn, each with its live and its test data.
ALTER TABLE jobs ADD COLUMN turn uuid NOT NULL GENERATED ALWAYS AS (
    encode(set_byte(uuid_send(organization_id), 0, get_byte(uuid_send(organization_id), 0) & 31), 'hex')::uuid
) STORED;
DROP INDEX jobs_turns;
CREATE INDEX jobs_turns ON jobs (turn, claimable_at);

-- +goose Down
ALTER TABLE jobs DROP COLUMN turn;
CREATE INDEX jobs_turns ON jobs (organization_id, claimable_at);
