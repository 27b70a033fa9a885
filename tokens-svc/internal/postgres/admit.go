package postgres

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Admit implements people.Repository.
func (p *People) Admit(ctx context.Context, a people.Admission) (people.Admitted, error) {
	var admitted people.Admitted
	err := transact(ctx, p.db, func(tx *sqlx.Tx) error {
		heads, err := lockHeadsForAdmission(ctx, tx, a)
		if err != nil {
			return err
		}
		if a.Organization == "" {
			admitted, err = admit(ctx, tx, heads, a)
			return err
		}
		m := heads.of(a.Organization)
		if a.Invitation != "" {
			if err := m.redeem(ctx, a.Invitation, a.Entry.At); err != nil {
				return err
			}
		}
		if admitted, err = admit(ctx, tx, heads, a); err != nil {
			return err
		}
		if a.UnlessRemoved {
			removed, err := m.removed(ctx, admitted.ID)
			if err != nil || removed {
				return err
			}
		}
		made, err := affected(ctx, m, `
			INSERT INTO memberships (organization_id, user_id, role, joined_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT DO NOTHING`, a.Organization, admitted.ID, a.Role, a.Entry.At)
		if err != nil || made == 0 {
			return err // they were a member before
		}
		a.Entry.Target = string(admitted.ID)
		if err := m.record(ctx, a.Entry); err != nil {
			return err
		}
		return m.announceOwned(ctx, a.Organization, admitted.ID)
	})
	return admitted, err
}

// removed reports whether somebody was removed from the organization, according
// to its audit log.
func (m *mutation) removed(ctx context.Context, id people.UserID) (bool, error) {
	return one[bool](ctx, m, `SELECT EXISTS (SELECT FROM audit_events WHERE log_id = $1 AND action = $2 AND target = $3)`,
		m.head.Log, audit.MemberRemoved, id)
}

// lockHeadsForAdmission locks the head of the organization, if any, and those of all
// organizations of an account that may be taken over.
func lockHeadsForAdmission(ctx context.Context, tx *sqlx.Tx, a people.Admission) (heads, error) {
	var orgs []tokens.OrgID
	if a.Organization != "" {
		orgs = append(orgs, a.Organization)
	}
	if a.Existing == people.TakeOver {
		all, err := list[tokens.OrgID](ctx, tx, `
			SELECT m.organization_id FROM memberships m JOIN users u ON u.id = m.user_id WHERE u.email = $1`, a.User.Email)
		if err != nil {
			return nil, err
		}
		orgs = append(orgs, all...)
	}
	return lockHeads(ctx, tx, orgs)
}

// admit returns the account with the e-mail address, which is made unless there
// is one. One that there is stays locked.
func admit(ctx context.Context, tx *sqlx.Tx, h heads, a people.Admission) (people.Admitted, error) {
	u := a.User
	if a.Existing != people.RefuseExisting || a.Verified {
		u.VerifiedAt = a.Entry.At // an issuer, an operator or a mailed code has proved it
	}
	made, err := affected(ctx, tx, `
		INSERT INTO users (id, email, name, password, created_at, verified_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (email) DO NOTHING`, u.ID, u.Email, u.Name, a.Password, u.CreatedAt, null(u.VerifiedAt))
	switch {
	case err != nil:
		return people.Admitted{}, err
	case made == 0 && a.Existing == people.RefuseExisting:
		return people.Admitted{}, tokens.ErrExists
	case made == 0:
		m, err := lockAccount(ctx, tx, h, `u.email = $1`, u.Email)
		if err != nil {
			return people.Admitted{}, err
		}
		return m.admit(ctx, a)
	case a.Identity != nil:
		err = insertIdentity(ctx, tx, u.ID, *a.Identity, u.CreatedAt)
	}
	return people.Admitted{User: u, Made: true}, err
}

// admit decides whether an account that there is may join the organization, and
// takes it over where the admission says so.
func (m *accountMutation) admit(ctx context.Context, a people.Admission) (people.Admitted, error) {
	switch {
	case a.Existing == people.TakeOver:
		linked, err := one[bool](ctx, m.tx,
			`SELECT EXISTS (SELECT FROM identities WHERE issuer = $1 AND subject = $2 AND user_id = $3)`,
			a.Identity.Issuer, a.Identity.Subject, m.account.ID)
		if err != nil || linked {
			return people.Admitted{User: m.account.User}, err
		}
		if err := m.link(ctx, *a.Identity, a.Entry.At); err != nil {
			return people.Admitted{}, err
		}
		return people.Admitted{User: m.account.User, TakenOver: true}, m.record(ctx, a.TakeOverEntry)
	case !m.account.VerifiedAt.IsZero():
		return people.Admitted{User: m.account.User}, nil
	case a.Verified:
		account := m.account
		account.VerifiedAt = a.Entry.At
		err := m.store(ctx, account)
		return people.Admitted{User: account.User}, err
	default:
		member, err := one[bool](ctx, m.tx,
			`SELECT EXISTS (SELECT FROM memberships WHERE organization_id = $1 AND user_id = $2)`,
			a.Organization, m.account.ID)
		if err == nil && !member {
			err = fmt.Errorf("user %s: %w", m.account.ID, people.ErrAccountUnverified)
		}
		return people.Admitted{User: m.account.User}, err
	}
}
