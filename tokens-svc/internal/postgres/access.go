package postgres

import "context"

// Access is something that gives access. Kind is token, member, account (one that is not disabled), sign-in or
// identity; Key is unique in its kind. With another Value it is something else.
type Access struct{ Kind, Key, Value string }

// End is the kind of the last one. Its key is the epoch of the change stream, its value the number of audit events,
// which each change increases.
const End = "end"

// Access returns all that gives access, as it is at one instant, owners before their accounts. A sign-in is what a
// person with a password proves who they are with, without what each use changes.
func (r *Repository) Access(ctx context.Context) ([]Access, error) {
	return getRows[Access](ctx, r.db, `SELECT * FROM (
		SELECT 'token' AS kind, id AS key, rev::text AS value FROM api_tokens
		WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) UNION ALL `+accessOfPeople+`
		) granted ORDER BY kind = '`+End+`', kind DESC, key`)
}

// AccessDigest returns another text after each change of Access, except that a token expired. It reads no token: their
// changes increase the counter of revisions.
func (r *Repository) AccessDigest(ctx context.Context) (string, error) {
	return getRow[string](ctx, r.db, `SELECT encode(sha256(convert_to(concat((SELECT value FROM revision),
		string_agg(granted::text, '' ORDER BY kind, key)), 'UTF8')), 'hex') FROM (`+accessOfPeople+`) granted`)
}

const accessOfPeople = `
	SELECT 'member' AS kind, user_id || '/' || organization_id AS key, role AS value FROM memberships
	UNION ALL SELECT 'account', id, 'enabled' FROM users WHERE disabled_at IS NULL
	UNION ALL SELECT 'sign-in', id, encode(sha256(convert_to(concat_ws('/', session_epoch, password, totp_key <> '',
		recovery_codes, (SELECT string_agg(p #>> '{credential,id}', ' ') FROM jsonb_array_elements(passkeys) p)),
		'UTF8')), 'hex') FROM users WHERE password <> ''
	UNION ALL SELECT 'identity', user_id || '/' || encode(sha256(convert_to(issuer || ' ' || subject, 'UTF8')), 'hex'),
		'linked' FROM identities
	UNION ALL SELECT '` + End + `', ` + epoch + `, (SELECT coalesce(sum(sequence), 0)::bigint FROM audit_heads)::text
		FROM revision r`

// EventsSince returns the number of audit events after the newest one whose actor is no operator with this end of the
// name.
func (r *Repository) EventsSince(ctx context.Context, end string) (int64, error) {
	return getRow[int64](ctx, r.db, `SELECT count(*) FROM audit_events WHERE at > (
		SELECT coalesce(max(at), '-infinity') FROM audit_events
		WHERE actor_kind <> 'operator' OR right(actor_name, length($1)) <> $1)`, end)
}
