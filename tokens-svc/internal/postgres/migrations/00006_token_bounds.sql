-- +goose Up

-- The MAC of what a token may do and for how long, and the version of its
-- pepper. NULL: stored by a version of the program without such MACs.
ALTER TABLE api_tokens
    ADD COLUMN bounds_version smallint,
    ADD COLUMN bounds_mac bytea;

-- A program of the version before changes tokens without a MAC. The one that is
-- there would not fit any more, so the change removes it.
-- +goose StatementBegin
CREATE FUNCTION remove_stale_bounds() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    unbound CONSTANT text [] := '{name, created_by_name, revoked_reason, pepper_version, mac, rev}';
BEGIN
    IF NEW.bounds_mac IS NOT DISTINCT FROM OLD.bounds_mac
        AND to_jsonb(NEW) - unbound IS DISTINCT FROM to_jsonb(OLD) - unbound THEN
        NEW.bounds_version := NULL;
        NEW.bounds_mac := NULL;
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER remove_stale_bounds BEFORE UPDATE ON api_tokens
FOR EACH ROW WHEN (OLD.bounds_mac IS NOT NULL) EXECUTE FUNCTION remove_stale_bounds();

-- +goose Down

DROP TRIGGER remove_stale_bounds ON api_tokens;
DROP FUNCTION remove_stale_bounds;
ALTER TABLE api_tokens
    DROP COLUMN bounds_mac,
    DROP COLUMN bounds_version;
