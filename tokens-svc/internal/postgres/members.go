package postgres

import (
	"context"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

const selectMembers = `
	SELECT ` + userColumns + `, m.role, m.joined_at
	FROM memberships m JOIN users u ON u.id = m.user_id
	WHERE m.organization_id = $1 `

// Members implements people.Repository.
func (p *People) Members(ctx context.Context, org tokens.OrgID) ([]people.Member, error) {
	return list[people.Member](ctx, p.db, selectMembers+`ORDER BY u.email`, org)
}

// ChangeMember implements people.Repository.
func (p *People) ChangeMember(ctx context.Context, org tokens.OrgID, id people.UserID,
	decide func(now people.Member, owners int) (tokens.Role, audit.Entry, error),
) error {
	return mutate(ctx, p.db, org, func(m *mutation) error {
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
		if err := m.record(ctx, entry); err != nil {
			return err
		}
		return m.announceOwned(ctx, org, id)
	})
}
