package postgres

import (
	"context"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// userColumns are those of a people.User, of the table u.
const userColumns = `u.id, u.email, u.name, u.created_at, coalesce(u.verified_at, ` + never + `) AS verified_at,
	coalesce(u.disabled_at, ` + never + `) AS disabled_at, u.password_temporary, u.session_epoch,
	u.totp_key <> '' AS has_app`

// accountColumns are those of a people.Account, likewise.
const accountColumns = userColumns + `, u.password, u.device_key,
	u.code_sum AS "reset.sum", coalesce(u.code_expires_at, ` + never + `) AS "reset.expires_at",
	u.verify_sum AS "verify.sum", coalesce(u.verify_expires_at, ` + never + `) AS "verify.expires_at",
	u.totp_key, u.totp_step, u.recovery_codes, u.passkeys, EXISTS (SELECT FROM identities WHERE user_id = u.id) AS linked`

// User implements people.Repository.
func (r *Repository) User(ctx context.Context, id people.UserID) (people.User, error) {
	return getRow[people.User](ctx, r.db, `SELECT `+userColumns+` FROM users u WHERE u.id = $1`, id)
}

// UserWith implements people.Repository.
func (r *Repository) UserWith(ctx context.Context, identity people.Identity) (people.User, error) {
	return getRow[people.User](ctx, r.db, `
		SELECT `+userColumns+`
		FROM identities i JOIN users u ON u.id = i.user_id
		WHERE i.issuer = $1 AND i.subject = $2`, identity.Issuer, identity.Subject)
}

// Attempt implements people.Repository.
func (r *Repository) Attempt(
	ctx context.Context, key [32]byte, at time.Time, window time.Duration,
) (int, time.Time, error) {
	type countRow struct {
		Attempts int
		Since    time.Time
	}
	row, err := getRow[countRow](ctx, r.db, `
		INSERT INTO sign_in_attempts AS a (key, attempts, since) VALUES ($1, 1, $2)
		ON CONFLICT (key) DO UPDATE SET
			attempts = CASE WHEN a.since > $3 THEN a.attempts + 1 ELSE 1 END,
			since = CASE WHEN a.since > $3 THEN a.since ELSE $2 END
		RETURNING attempts, since`, key[:], at, at.Add(-window))
	return row.Attempts, row.Since, err
}

// ReturnAttempt implements people.Repository.
func (r *Repository) ReturnAttempt(ctx context.Context, key [32]byte) error {
	return exec(ctx, r.db, `UPDATE sign_in_attempts SET attempts = attempts - 1 WHERE key = $1 AND attempts > 0`,
		key[:])
}

// Memberships implements people.Repository.
func (r *Repository) Memberships(ctx context.Context, id people.UserID) ([]people.Membership, error) {
	return getRows[people.Membership](ctx, r.db, `
		SELECT o.id AS "organization.id", o.name AS "organization.name", o.created_at AS "organization.created_at",
			o.max_days AS "organization.policy.max_days", o.require_addresses AS "organization.policy.require_addresses",
			o.owners_grant_admin AS "organization.policy.owners_grant_admin", o.version AS "organization.policy.version",
			m.role, m.joined_at
		FROM memberships m JOIN organizations o ON o.id = m.organization_id
		WHERE m.user_id = $1 ORDER BY o.name, o.id`, id)
}

const selectMembers = `
	SELECT ` + userColumns + `, m.role, m.joined_at, o.id AS "organization.id", o.name AS "organization.name",
		o.created_at AS "organization.created_at"
	FROM memberships m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id
	WHERE m.organization_id = $1 `

// Members implements people.Repository.
func (r *Repository) Members(ctx context.Context, org tokens.OrgID) ([]people.Member, error) {
	return getRows[people.Member](ctx, r.db, selectMembers+`ORDER BY u.email`, org)
}

// ChangeMember implements people.Repository.
func (r *Repository) ChangeMember(ctx context.Context, org tokens.OrgID, id people.UserID, by audit.Actor,
	decide func(role tokens.Role, now people.Member, others int) (tokens.Role, audit.Entry, error),
) error {
	return r.mutate(ctx, org, func(m *mutation) error {
		acting, err := m.Role(ctx, by.ID)
		if err != nil {
			return err
		}
		now, err := getRow[people.Member](ctx, m, selectMembers+`AND m.user_id = $2`, org, id)
		if err != nil {
			return err
		}
		others, err := getRow[int](ctx, m, `
			SELECT count(*) FROM memberships m JOIN users u ON u.id = m.user_id
			WHERE m.organization_id = $1 AND m.role = 'owner' AND u.disabled_at IS NULL AND u.id <> $2`, org, id)
		if err != nil {
			return err
		}
		role, entry, err := decide(acting, now, others)
		if err != nil || role == now.Role {
			return err
		}
		if role == "" {
			err = exec(ctx, m, `DELETE FROM memberships WHERE organization_id = $1 AND user_id = $2`, org, id)
		} else {
			err = exec(ctx, m, `UPDATE memberships SET role = $3 WHERE organization_id = $1 AND user_id = $2`,
				org, id, role)
		}
		if err != nil {
			return err
		}
		if err := m.Record(ctx, entry); err != nil {
			return err
		}
		return m.announceOwned(ctx, id)
	})
}
