-- +goose Up

-- +goose StatementBegin
CREATE FUNCTION new_test_organization_id() RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT 'org_' || substr('01234567', 1 + floor(random() * 8)::int, 1)
        || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + floor(random() * 32)::int, 1), '')
    FROM generate_series(1, 25)
$$;
-- +goose StatementEnd

-- The data partition of the organization's test tokens. The default covers the
-- rows that exist and those that the previous version inserts.
ALTER TABLE organizations
    ADD COLUMN test_id text COLLATE "C" NOT NULL DEFAULT new_test_organization_id()
    UNIQUE CHECK (test_id ~ '^org_[0-7][0-9a-hjkmnp-tv-z]{25}$' AND test_id <> id);

-- lineage: the first token of the rotation chain. owner_id: the person whose
-- role bounds the token; empty: the organization. Both decide what a token may
-- do, as do environment, permissions, ip_allow, the limit and expires_at.
ALTER TABLE api_tokens
    ADD COLUMN lineage text COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN owner_id text COLLATE "C" NOT NULL DEFAULT '';

-- Completes rows that the previous version inserts, which knows neither column.
-- +goose StatementBegin
CREATE FUNCTION complete_token() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.lineage := coalesce((SELECT nullif(lineage, '') FROM api_tokens WHERE id = NEW.rotated_from), NEW.rotated_from, NEW.id);
    NEW.owner_id := CASE
        WHEN NEW.rotated_from IS NOT NULL THEN (SELECT owner_id FROM api_tokens WHERE id = NEW.rotated_from)
        WHEN NEW.created_by_kind = 'user' THEN NEW.created_by_id
        WHEN NEW.created_by_kind = 'token' THEN coalesce((SELECT owner_id FROM api_tokens WHERE id = NEW.created_by_id), '')
        ELSE ''
    END;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER complete_token BEFORE INSERT ON api_tokens
FOR EACH ROW WHEN (NEW.lineage = '') EXECUTE FUNCTION complete_token();

-- +goose Down

DROP TRIGGER complete_token ON api_tokens;
DROP FUNCTION complete_token;
ALTER TABLE api_tokens
    DROP COLUMN owner_id,
    DROP COLUMN lineage;
ALTER TABLE organizations DROP COLUMN test_id;
DROP FUNCTION new_test_organization_id;
