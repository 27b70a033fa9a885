package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// userColumns are those of a people.User, of the table u.
const userColumns = `u.id, u.email, u.name, u.created_at, coalesce(u.verified_at, ` + never + `) AS verified_at,
	coalesce(u.disabled_at, ` + never + `) AS disabled_at, u.password_temporary, u.session_epoch,
	u.totp_key <> '' AS has_app`

// accountColumns are those of a people.Account, likewise.
const accountColumns = userColumns + `, u.password, u.code_sum,
	coalesce(u.code_expires_at, ` + never + `) AS code_expires_at, u.totp_key, u.totp_step, u.recovery_codes, u.passkeys,
	EXISTS (SELECT FROM identities WHERE user_id = u.id) AS linked`

// User implements people.Repository.
func (r *Repository) User(ctx context.Context, id people.UserID) (people.User, error) {
	return one[people.User](ctx, r.db, `SELECT `+userColumns+` FROM users u WHERE u.id = $1`, id)
}

// UserWith implements people.Repository.
func (r *Repository) UserWith(ctx context.Context, identity people.Identity) (people.User, error) {
	return one[people.User](ctx, r.db, `
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
	row, err := one[countRow](ctx, r.db, `
		INSERT INTO sign_in_attempts AS a (key, attempts, since) VALUES ($1, 1, $2)
		ON CONFLICT (key) DO UPDATE SET
			attempts = CASE WHEN a.since > $3 THEN a.attempts + 1 ELSE 1 END,
			since = CASE WHEN a.since > $3 THEN a.since ELSE $2 END
		RETURNING attempts, since`, key[:], at, at.Add(-window))
	return row.Attempts, row.Since, err
}

// ReturnAttempt implements people.Repository.
func (r *Repository) ReturnAttempt(ctx context.Context, key [32]byte) error {
	return exec(ctx, r.db, `UPDATE sign_in_attempts SET attempts = attempts - 1 WHERE key = $1 AND attempts > 0`, key[:])
}

// Memberships implements people.Repository.
func (r *Repository) Memberships(ctx context.Context, id people.UserID) ([]people.Membership, error) {
	return list[people.Membership](ctx, r.db, `
		SELECT o.id AS "organization.id", o.name AS "organization.name", o.created_at AS "organization.created_at",
			m.role, m.joined_at
		FROM memberships m JOIN organizations o ON o.id = m.organization_id WHERE m.user_id = $1 ORDER BY o.name, o.id`, id)
}

const selectMembers = `
	SELECT ` + userColumns + `, m.role, m.joined_at
	FROM memberships m JOIN users u ON u.id = m.user_id
	WHERE m.organization_id = $1 `

// Members implements people.Repository.
func (r *Repository) Members(ctx context.Context, org tokens.OrgID) ([]people.Member, error) {
	return list[people.Member](ctx, r.db, selectMembers+`ORDER BY u.email`, org)
}

// ChangeMember implements people.Repository.
func (r *Repository) ChangeMember(ctx context.Context, org tokens.OrgID, id people.UserID,
	decide func(now people.Member, owners int) (tokens.Role, audit.Entry, error),
) error {
	return mutate(ctx, r.db, org, func(m *mutation) error {
		now, err := one[people.Member](ctx, m, selectMembers+`AND m.user_id = $2`, org, id)
		if err != nil {
			return err
		}
		owners, err := one[int](ctx, m, `SELECT count(*) FROM memberships WHERE organization_id = $1 AND role = 'owner'`, org)
		if err != nil {
			return err
		}
		role, entry, err := decide(now, owners)
		if err != nil || role == now.Role {
			return err
		}
		if role == "" {
			_, err = m.ExecContext(ctx, `DELETE FROM memberships WHERE organization_id = $1 AND user_id = $2`, org, id)
		} else {
			_, err = m.ExecContext(ctx, `UPDATE memberships SET role = $3 WHERE organization_id = $1 AND user_id = $2`, org, id,
				role)
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

// selectInvitations selects those that have not expired, also where the inviter
// may no longer grant the role.
const selectInvitations = `
	SELECT i.id, i.organization_id AS organization, o.name AS organization_name, i.email, i.role, i.invited_by,
		coalesce(i.inviter_id, '') AS inviter,
	       coalesce(m.role, '') AS inviter_role, i.created_at, i.expires_at, i.mailed
	FROM invitations i
	JOIN organizations o ON o.id = i.organization_id
	LEFT JOIN users u ON u.id = i.inviter_id AND u.disabled_at IS NULL
	LEFT JOIN memberships m ON m.organization_id = i.organization_id AND m.user_id = u.id
	WHERE i.expires_at > $1 `

// Invite implements people.Repository.
func (r *Repository) Invite(
	ctx context.Context, i people.Invitation, codeSum [32]byte, e audit.Entry,
	replace func(tokens.Role) error,
) error {
	return mutate(ctx, r.db, i.Organization, func(m *mutation) error {
		member, err := one[bool](ctx, m, `
			SELECT EXISTS (
				SELECT FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.organization_id = $1 AND u.email = $2
			)`, m.org(), i.Email)
		if err != nil {
			return err
		}
		if member {
			return tokens.ErrExists
		}
		open, err := list[tokens.Role](ctx, m, `
			SELECT role FROM invitations
			WHERE organization_id = $1 AND email = $2 AND expires_at > $3`, m.org(), i.Email, i.CreatedAt)
		for _, role := range open {
			err = replace(role)
		}
		if err != nil {
			return err
		}
		_, err = m.ExecContext(ctx, `
			INSERT INTO invitations (id, organization_id, email, role, code_sum, invited_by, inviter_id, created_at, expires_at,
				mailed)
			VALUES ($1, $2, $3, $4, $5, $6, nullif($7, ''), $8, $9, $10)
			ON CONFLICT (organization_id, email) DO UPDATE SET
				id = excluded.id, role = excluded.role, code_sum = excluded.code_sum, invited_by = excluded.invited_by,
				inviter_id = excluded.inviter_id, created_at = excluded.created_at, expires_at = excluded.expires_at,
				mailed = excluded.mailed`,
			i.ID, m.org(), i.Email, i.Role, codeSum[:], i.InvitedBy, i.Inviter, i.CreatedAt, i.ExpiresAt, i.Mailed)
		if err != nil {
			return err
		}
		return m.Record(ctx, e)
	})
}

// Withdraw implements people.Repository.
func (r *Repository) Withdraw(ctx context.Context, org tokens.OrgID, id people.InvitationID, e audit.Entry) error {
	return mutate(ctx, r.db, org, func(m *mutation) error {
		_, err := one[string](ctx, m, `DELETE FROM invitations WHERE organization_id = $1 AND id = $2 RETURNING email`, org,
			id)
		if err != nil {
			return err
		}
		return m.Record(ctx, e)
	})
}

// Invitations implements people.Repository.
func (r *Repository) Invitations(ctx context.Context, org tokens.OrgID, at time.Time) ([]people.Invitation, error) {
	return goodOnes(ctx, r.db, `AND i.organization_id = $2 ORDER BY i.created_at DESC, i.id DESC`, at, org)
}

// Offers implements people.Repository.
func (r *Repository) Offers(ctx context.Context, email string, at time.Time) ([]people.Invitation, error) {
	return goodOnes(ctx, r.db, `AND i.email = $2 ORDER BY i.created_at, i.id`, at, email)
}

// InvitationWith implements people.Repository.
func (r *Repository) InvitationWith(
	ctx context.Context, email string, codeSum [32]byte, at time.Time,
) (people.Invitation, error) {
	return goodOne(ctx, r.db, `AND i.email = $2 AND i.code_sum = $3`, at, email, codeSum[:])
}

// redeem ends an invitation that is good at a time, and otherwise gives
// tokens.ErrNotFound.
func (m *mutation) redeem(ctx context.Context, id people.InvitationID, at time.Time) error {
	if _, err := goodOne(ctx, m, `AND i.organization_id = $2 AND i.id = $3`, at, m.head.Log, id); err != nil {
		return err
	}
	return exec(ctx, m, `DELETE FROM invitations WHERE id = $1`, id)
}

// goodOnes returns the invitations with a condition that are good at the time that is the first argument.
func goodOnes(ctx context.Context, db sqlx.QueryerContext, condition string, args ...any) ([]people.Invitation, error) {
	all, err := list[people.Invitation](ctx, db, selectInvitations+condition, args...)
	return slices.DeleteFunc(all, func(i people.Invitation) bool { return !i.Good() }), err
}

// goodOne returns the one of goodOnes, or tokens.ErrNotFound.
func goodOne(ctx context.Context, db sqlx.QueryerContext, condition string, args ...any) (people.Invitation, error) {
	all, err := goodOnes(ctx, db, condition, args...)
	if err == nil && len(all) == 0 {
		err = tokens.ErrNotFound
	}
	if err != nil {
		return people.Invitation{}, err
	}
	return all[0], nil
}
