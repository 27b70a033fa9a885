package postgres

import (
	"context"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type invitationRow struct {
	ID             people.InvitationID `db:"id"`
	OrganizationID tokens.OrgID        `db:"organization_id"`
	Email          string              `db:"email"`
	Role           tokens.Role         `db:"role"`
	InvitedBy      string              `db:"invited_by"`
	CreatedAt      time.Time           `db:"created_at"`
	ExpiresAt      time.Time           `db:"expires_at"`
}

func (r invitationRow) offer() people.Offer {
	return people.Offer{Organization: r.OrganizationID, Invitation: people.Invitation{
		ID: r.ID, Email: r.Email, Role: r.Role, InvitedBy: r.InvitedBy,
		CreatedAt: r.CreatedAt.UTC(), ExpiresAt: r.ExpiresAt.UTC(),
	}}
}

const selectInvitations = `
	SELECT id, organization_id, email, role, invited_by, created_at, expires_at FROM invitations WHERE expires_at > $1 `

// Invite implements people.Repository.
func (p *People) Invite(ctx context.Context, org tokens.OrgID, i people.Invitation, codeSum [32]byte, e audit.Entry) error {
	return mutate(ctx, p.db, p.keys, org, func(m *mutation) error {
		var member bool
		err := m.GetContext(ctx, &member, `
			SELECT EXISTS (
				SELECT FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.organization_id = $1 AND u.email = $2
			)`, org, i.Email)
		if err != nil {
			return err
		}
		if member {
			return tokens.ErrExists
		}
		_, err = m.ExecContext(ctx, `
			INSERT INTO invitations (id, organization_id, email, role, code_sum, invited_by, created_at, expires_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
			ON CONFLICT (organization_id, email) DO UPDATE SET
				id = excluded.id, role = excluded.role, code_sum = excluded.code_sum, invited_by = excluded.invited_by,
				created_at = excluded.created_at, expires_at = excluded.expires_at`,
			i.ID, org, i.Email, i.Role, codeSum[:], i.InvitedBy, i.CreatedAt, i.ExpiresAt)
		if err != nil {
			return err
		}
		return m.record(ctx, e)
	})
}

// Withdraw implements people.Repository.
func (p *People) Withdraw(ctx context.Context, org tokens.OrgID, id people.InvitationID, e audit.Entry) error {
	return mutate(ctx, p.db, p.keys, org, func(m *mutation) error {
		var email string
		err := m.GetContext(ctx, &email, `DELETE FROM invitations WHERE organization_id = $1 AND id = $2 RETURNING email`, org, id)
		if err != nil {
			return err
		}
		return m.record(ctx, e)
	})
}

// Invitations implements people.Repository.
func (p *People) Invitations(ctx context.Context, org tokens.OrgID, at time.Time) ([]people.Invitation, error) {
	offers, err := p.offers(ctx, selectInvitations+`AND organization_id = $2 ORDER BY created_at DESC, id DESC`, at, org)
	all := make([]people.Invitation, len(offers))
	for i, offer := range offers {
		all[i] = offer.Invitation
	}
	return all, err
}

// Offers implements people.Repository.
func (p *People) Offers(ctx context.Context, email string, at time.Time) ([]people.Offer, error) {
	return p.offers(ctx, selectInvitations+`AND email = $2 ORDER BY created_at, id`, at, email)
}

func (p *People) offers(ctx context.Context, query string, args ...any) ([]people.Offer, error) {
	var rows []invitationRow
	if err := p.db.SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, translate(err)
	}
	all := make([]people.Offer, len(rows))
	for i, row := range rows {
		all[i] = row.offer()
	}
	return all, nil
}

// InvitationWith implements people.Repository.
func (p *People) InvitationWith(ctx context.Context, email string, codeSum [32]byte, at time.Time) (people.Offer, error) {
	var row invitationRow
	err := p.db.GetContext(ctx, &row, selectInvitations+`AND email = $2 AND code_sum = $3`, at, email, codeSum[:])
	return row.offer(), translate(err)
}
