-- +goose Up

-- key_version: the key of hash. NULL: hash has no key, as in events of earlier
-- versions. In audit_heads, that of the newest event.
ALTER TABLE audit_heads ADD COLUMN key_version smallint;
ALTER TABLE audit_events ADD COLUMN key_version smallint;

-- A program without keys would make the log fail its verification.
-- +goose StatementBegin
CREATE FUNCTION refuse_event_without_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT key_version FROM audit_events
        WHERE organization_id = NEW.organization_id AND sequence < NEW.sequence
        ORDER BY sequence DESC LIMIT 1) IS NOT NULL THEN
        RAISE EXCEPTION 'event % of % has no key, unlike the event before it', NEW.sequence, NEW.organization_id
            USING HINT = 'Set AUDIT_KEYS and use a version of tokens-svc that knows it.';
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER keyed BEFORE INSERT ON audit_events
FOR EACH ROW WHEN (NEW.key_version IS NULL) EXECUTE FUNCTION refuse_event_without_key();

-- +goose Down

DROP TRIGGER keyed ON audit_events;
DROP FUNCTION refuse_event_without_key;
ALTER TABLE audit_events DROP COLUMN key_version;
ALTER TABLE audit_heads DROP COLUMN key_version;
