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

// selectInvitations selects those that have not expired, also where the inviter may no longer grant the role.
const selectInvitations = `
	SELECT i.id, i.organization_id AS organization, o.name AS organization_name, i.email, i.role, i.invited_by,
		coalesce(i.inviter_id, '') AS inviter,
	       coalesce(m.role, '') AS inviter_role, i.created_at, i.expires_at, i.mailed,
		EXISTS (SELECT FROM mails WHERE recipient = i.email AND name = '` + people.MailInvitation + `'
			AND about = i.organization_id AND events > 0 AND attempts > 0) AS unsent
	FROM invitations i
	JOIN organizations o ON o.id = i.organization_id
	LEFT JOIN users u ON u.id = i.inviter_id AND u.disabled_at IS NULL
	LEFT JOIN memberships m ON m.organization_id = i.organization_id AND m.user_id = u.id
	WHERE i.expires_at > $1 `

// Invite implements people.Repository.
func (r *Repository) Invite(
	ctx context.Context, i people.Invitation, codeSum [32]byte, e audit.Entry,
	decide func(role, replaced tokens.Role) error,
) error {
	return r.mutate(ctx, i.Organization, func(m *mutation) error {
		role, err := m.Role(ctx, string(i.Inviter))
		if err != nil {
			return err
		}
		type standing struct {
			Replaced tokens.Role // of the invitation that there is; "": none
			Member   bool
		}
		known, err := getRow[standing](ctx, m, `
			SELECT coalesce((SELECT role FROM invitations
				WHERE organization_id = $1 AND email = $2 AND expires_at > $3), '') AS replaced,
			EXISTS (SELECT FROM memberships m JOIN users u ON u.id = m.user_id
				WHERE m.organization_id = $1 AND u.email = $2) AS member`, m.org(), i.Email, i.CreatedAt)
		if err == nil {
			err = decide(role, known.Replaced)
		}
		if err == nil && known.Member {
			err = tokens.ErrExists
		}
		if err != nil {
			return err
		}
		_, err = m.ExecContext(ctx, `
			INSERT INTO invitations (id, organization_id, email, role, code_sum, invited_by, inviter_id, created_at,
				expires_at, mailed)
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

// RenewCode implements people.Repository.
func (r *Repository) RenewCode(
	ctx context.Context, org tokens.OrgID, email string, codeSum [32]byte, at time.Time,
) (people.Invitation, error) {
	err := exec(ctx, r.db, `UPDATE invitations SET code_sum = $3 WHERE organization_id = $1 AND email = $2 AND mailed`,
		org, email, codeSum[:])
	if err != nil {
		return people.Invitation{}, err
	}
	return r.InvitationWith(ctx, email, codeSum, at)
}

// Withdraw implements people.Repository.
func (r *Repository) Withdraw(
	ctx context.Context, org tokens.OrgID, id people.InvitationID, e audit.Entry,
	decide func(role tokens.Role, i people.Invitation) error,
) error {
	return r.mutate(ctx, org, func(m *mutation) error {
		role, err := m.Role(ctx, e.Actor.ID)
		if err != nil {
			return err
		}
		i, err := m.redeem(ctx, id, e.At)
		if err != nil {
			return err
		}
		if err := decide(role, i); err != nil {
			return err
		}
		e.Details = i.Details()
		return m.Record(ctx, e)
	})
}

// Invitations implements people.Repository.
func (r *Repository) Invitations(ctx context.Context, org tokens.OrgID, at time.Time) ([]people.Invitation, error) {
	return validInvitations(ctx, r.db, `AND i.organization_id = $2 ORDER BY i.created_at DESC, i.id DESC`, at, org)
}

// Offers implements people.Repository.
func (r *Repository) Offers(ctx context.Context, email string, at time.Time) ([]people.Invitation, error) {
	return validInvitations(ctx, r.db, `AND i.email = $2 ORDER BY i.created_at, i.id`, at, email)
}

// InvitationWith implements people.Repository.
func (r *Repository) InvitationWith(
	ctx context.Context, email string, codeSum [32]byte, at time.Time,
) (people.Invitation, error) {
	return validInvitation(ctx, r.db, `AND i.email = $2 AND i.code_sum = $3`, at, email, codeSum[:])
}

// redeem ends an invitation that is good at a time and returns it, and otherwise gives tokens.ErrNotFound.
func (m *mutation) redeem(ctx context.Context, id people.InvitationID, at time.Time) (people.Invitation, error) {
	i, err := validInvitation(ctx, m, `AND i.organization_id = $2 AND i.id = $3`, at, m.head.Log, id)
	if err != nil {
		return i, err
	}
	return i, exec(ctx, m, `DELETE FROM invitations WHERE id = $1`, id)
}

// validInvitations returns the invitations with a condition that are good at the time that is the first argument.
func validInvitations(
	ctx context.Context, db sqlx.QueryerContext, condition string, args ...any,
) ([]people.Invitation, error) {
	all, err := getRows[people.Invitation](ctx, db, selectInvitations+condition, args...)
	return slices.DeleteFunc(all, func(i people.Invitation) bool { return !i.Valid() }), err
}

// validInvitation returns the one of validInvitations, or tokens.ErrNotFound.
func validInvitation(
	ctx context.Context, db sqlx.QueryerContext, condition string, args ...any,
) (people.Invitation, error) {
	all, err := validInvitations(ctx, db, condition, args...)
	if err == nil && len(all) == 0 {
		err = tokens.ErrNotFound
	}
	if err != nil {
		return people.Invitation{}, err
	}
	return all[0], nil
}
