package postgres

import (
	"context"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type memberRow struct {
	userRow
	Role     tokens.Role `db:"role"`
	JoinedAt time.Time   `db:"joined_at"`
}

func (r memberRow) member() people.Member {
	return people.Member{User: r.user(), Role: r.Role, JoinedAt: r.JoinedAt.UTC()}
}

const selectMembers = `
	SELECT u.id, u.email, u.name, u.created_at, m.role, m.joined_at
	FROM memberships m JOIN users u ON u.id = m.user_id
	WHERE m.organization_id = $1 `

// Members implements people.Repository.
func (p *People) Members(ctx context.Context, org tokens.OrgID) ([]people.Member, error) {
	var rows []memberRow
	if err := p.db.SelectContext(ctx, &rows, selectMembers+`ORDER BY u.email`, org); err != nil {
		return nil, translate(err)
	}
	all := make([]people.Member, len(rows))
	for i, row := range rows {
		all[i] = row.member()
	}
	return all, nil
}

// ChangeMember implements people.Repository.
func (p *People) ChangeMember(ctx context.Context, org tokens.OrgID, id people.UserID,
	decide func(now people.Member, owners int) (tokens.Role, audit.Entry, error),
) error {
	return mutate(ctx, p.db, org, func(m *mutation) error {
		var row memberRow
		if err := m.GetContext(ctx, &row, selectMembers+`AND m.user_id = $2`, org, id); err != nil {
			return err
		}
		var owners int
		err := m.GetContext(ctx, &owners, `SELECT count(*) FROM memberships WHERE organization_id = $1 AND role = 'owner'`, org)
		if err != nil {
			return err
		}
		role, entry, err := decide(row.member(), owners)
		if err != nil || role == row.Role {
			return err
		}
		if role == "" {
			_, err = m.ExecContext(ctx, `DELETE FROM memberships WHERE organization_id = $1 AND user_id = $2`, org, id)
		} else {
			_, err = m.ExecContext(ctx, `UPDATE memberships SET role = $3 WHERE organization_id = $1 AND user_id = $2`, org, id, role)
		}
		if err != nil {
			return err
		}
		return m.record(ctx, entry)
	})
}

// Admit implements people.Repository.
func (p *People) Admit(ctx context.Context, a people.Admission) (people.User, error) {
	var user people.User
	err := mutate(ctx, p.db, a.Organization, func(m *mutation) error {
		if a.Invitation != "" {
			var email string
			err := m.GetContext(ctx, &email,
				`DELETE FROM invitations WHERE organization_id = $1 AND id = $2 RETURNING email`, a.Organization, a.Invitation)
			if err != nil {
				return err
			}
		}
		var err error
		if user, err = m.user(ctx, a); err != nil {
			return err
		}
		result, err := m.ExecContext(ctx, `
			INSERT INTO memberships (organization_id, user_id, role, joined_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT DO NOTHING`, a.Organization, user.ID, a.Role, a.Entry.At)
		if err != nil {
			return err
		}
		if made, err := result.RowsAffected(); err != nil || made == 0 {
			return err // they were a member before
		}
		a.Entry.Target = string(user.ID)
		return m.record(ctx, a.Entry)
	})
	return user, err
}

// user returns the person with the e-mail address, who is made unless there is
// one.
func (m *mutation) user(ctx context.Context, a people.Admission) (people.User, error) {
	u := a.User
	result, err := m.ExecContext(ctx, `
		INSERT INTO users (id, email, name, password, created_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (email) DO NOTHING`, u.ID, u.Email, u.Name, a.Password, u.CreatedAt)
	if err != nil {
		return people.User{}, err
	}
	made, err := result.RowsAffected()
	switch {
	case err != nil:
		return people.User{}, err
	case made == 0:
		var row userRow
		err := m.GetContext(ctx, &row, `SELECT id, email, name, created_at FROM users WHERE email = $1`, u.Email)
		return row.user(), err
	case a.Identity != nil:
		return u, insertIdentity(ctx, m.Tx, u.ID, *a.Identity, u.CreatedAt)
	}
	return u, nil
}
