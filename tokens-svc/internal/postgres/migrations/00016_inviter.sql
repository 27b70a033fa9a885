-- +goose Up

-- The inviting person, whose present role must allow granting the invitation's
-- role. NULL: an operator invited.
ALTER TABLE invitations ADD COLUMN inviter_id text COLLATE "C";

UPDATE invitations SET inviter_id = users.id FROM users WHERE users.email = invitations.invited_by;

-- Completes rows that the previous version writes, which does not know the column.
-- +goose StatementBegin
CREATE FUNCTION complete_invitation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' AND NEW.inviter_id IS NULL
        OR TG_OP = 'UPDATE' AND NEW.invited_by <> OLD.invited_by AND NEW.inviter_id IS NOT DISTINCT FROM OLD.inviter_id THEN
        NEW.inviter_id := (SELECT id FROM users WHERE email = NEW.invited_by);
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER complete_invitation BEFORE INSERT OR UPDATE ON invitations
FOR EACH ROW EXECUTE FUNCTION complete_invitation();

-- +goose Down

DROP TRIGGER complete_invitation ON invitations;
DROP FUNCTION complete_invitation;
ALTER TABLE invitations DROP COLUMN inviter_id;
