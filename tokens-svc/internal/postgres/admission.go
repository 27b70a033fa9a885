package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Admit implements people.Repository.
func (r *Repository) Admit(ctx context.Context, a people.Admission) (u people.User, made bool, err error) {
	err = r.mutate(ctx, a.Organization, func(m *mutation) error {
		if a.Invitation != "" {
			if _, err := m.redeem(ctx, a.Invitation, a.Entry.At); err != nil {
				return err
			}
		}
		if u, made, err = m.admit(ctx, a); err != nil {
			return err
		}
		return m.join(ctx, u.ID, a)
	})
	return u, made, err
}

// admit returns the account with the e-mail address, which is made unless there is one, and locks it. It decides
// whether one that there is may join the organization.
func (m *mutation) admit(ctx context.Context, a people.Admission) (u people.User, made bool, err error) {
	if made, err = insertUser(ctx, m.Tx, a.User, a.Password); err != nil {
		return people.User{}, false, err
	}
	account, err := lockAccount(ctx, m.Tx, nil, `u.email = $1`, a.User.Email)
	now := account.account
	switch {
	case err != nil || made:
	case a.New:
		err = tokens.ErrExists
	case a.Invitation != "" && now.SessionEpoch != a.User.SessionEpoch:
		err = people.ErrEnded
	case !now.VerifiedAt.IsZero():
	case a.Verified:
		now.VerifiedAt = a.Entry.At
		err = account.store(ctx, now)
	default:
		var member bool
		member, err = getRow[bool](ctx, m,
			`SELECT EXISTS (SELECT FROM memberships WHERE organization_id = $1 AND user_id = $2)`, m.org(), now.ID)
		if err == nil && !member {
			err = fmt.Errorf("user %s: %w", now.ID, people.ErrAccountUnverified)
		}
	}
	return now.User, made, err
}

// join makes a person a member who is none.
func (m *mutation) join(ctx context.Context, id people.UserID, a people.Admission) error {
	joined, err := affected(ctx, m, `
		INSERT INTO memberships (organization_id, user_id, role, joined_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT DO NOTHING`, m.org(), id, a.Role, a.Entry.At)
	if err != nil || joined == 0 {
		return err
	}
	a.Entry.Target = string(id)
	if err := m.Record(ctx, a.Entry); err != nil {
		return err
	}
	return m.announceOwned(ctx, id)
}

// joinUnlessRemoved is join for a person who was not removed from the organization before. The action is part of the
// statement's text, so that an index of such events is used.
func (m *mutation) joinUnlessRemoved(ctx context.Context, id people.UserID, a people.Admission) error {
	removed, err := getRow[bool](ctx, m, `SELECT EXISTS (
		SELECT FROM audit_events WHERE log_id = $1 AND target = $2 AND action = '`+string(audit.MemberRemoved)+`')`,
		m.org(), id)
	if err != nil || removed {
		return err
	}
	return m.join(ctx, id, a)
}

// insertUser makes an account unless there is one with the e-mail address.
func insertUser(ctx context.Context, tx *sqlx.Tx, u people.User, password string) (made bool, err error) {
	n, err := affected(ctx, tx, `
		INSERT INTO users (id, email, name, password, created_at, verified_at, password_temporary)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (email) DO NOTHING`, u.ID, u.Email, u.Name, password, u.CreatedAt, null(u.VerifiedAt),
		u.PasswordTemporary)
	return n > 0, err
}

// Link implements people.Repository.
func (r *Repository) Link(
	ctx context.Context, u people.User, identity people.Identity, e audit.Entry, join people.Admission,
	holders bool,
) (linked people.User, takenOver bool, err error) {
	err = r.changeAccount(ctx, `u.email = $1`, u.Email, join.Organization, func(tx *sqlx.Tx, heads heads) error {
		made, err := insertUser(ctx, tx, u, "")
		if err != nil {
			return err
		}
		m, err := lockAccount(ctx, tx, heads, `u.email = $1`, u.Email)
		if err != nil {
			return err
		}
		n, err := m.insertIdentity(ctx, identity, e.At)
		if takenOver = n > 0 && !made && !holders; err == nil && takenOver {
			err = m.takeOver(ctx, e.At)
		}
		if err == nil && n > 0 && !made {
			err = storeMails(ctx, tx, string(m.account.ID), e.At, e.Mails)
			e.Mails = nil // once, and not for each organization
			if err == nil {
				err = m.record(ctx, e)
			}
		}
		linked = m.account.User
		for _, head := range heads {
			if err == nil && head.org() == join.Organization {
				err = head.joinUnlessRemoved(ctx, linked.ID, join)
			}
		}
		return err
	})
	return linked, takenOver, err
}

// insertIdentity gives the account an identity unless it has it, or returns tokens.ErrExists.
func (m *accountMutation) insertIdentity(ctx context.Context, i people.Identity, at time.Time) (n int64, err error) {
	n, err = affected(ctx, m.tx, `
		INSERT INTO identities (issuer, subject, user_id, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
		i.Issuer, i.Subject, m.account.ID, at)
	if err != nil || n > 0 {
		return n, err
	}
	known, err := getRow[bool](ctx, m.tx,
		`SELECT EXISTS (SELECT FROM identities WHERE issuer = $1 AND subject = $2 AND user_id = $3)`,
		i.Issuer, i.Subject, m.account.ID)
	if err == nil && !known {
		err = tokens.ErrExists
	}
	return 0, err
}

// takeOver leaves an account to the holder of the identity that it got.
func (m *accountMutation) takeOver(ctx context.Context, at time.Time) error {
	now := m.account
	now.Password, now.PasswordTemporary, now.VerifiedAt, now.Linked = "", false, at, true
	now.RemoveFactors()
	now.SessionEpoch++
	return m.store(ctx, now)
}
