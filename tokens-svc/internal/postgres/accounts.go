package postgres

import (
	"context"
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Account implements people.Repository.
func (r *Repository) Account(ctx context.Context, idOrEmail string) (people.Account, error) {
	return one[people.Account](ctx, r.db,
		`SELECT `+accountColumns+` FROM users u WHERE u.id = $1 OR u.email = $1`, idOrEmail)
}

// ChangeAccount implements people.Repository.
func (r *Repository) ChangeAccount(
	ctx context.Context, id people.UserID, decide func(*people.Account) (audit.Entry, error),
) (people.User, error) {
	var changed people.Account
	err := transact(ctx, r.db, func(tx *sqlx.Tx) error {
		orgs, err := list[tokens.OrgID](ctx, tx, `SELECT organization_id FROM memberships WHERE user_id = $1`, id)
		if err != nil {
			return err
		}
		heads, err := lockHeads(ctx, tx, orgs)
		if err != nil {
			return err
		}
		m, err := lockAccount(ctx, tx, heads, `u.id = $1`, id)
		if err != nil {
			return err
		}
		changed = m.account
		changed.Passkeys = slices.Clone(changed.Passkeys)
		entry, err := decide(&changed)
		if err != nil || reflect.DeepEqual(changed, m.account) {
			return err
		}
		if err := m.store(ctx, changed); err != nil || entry.Action == "" {
			return err
		}
		return m.record(ctx, entry)
	})
	return changed.User, err
}

// Record implements people.Repository.
func (r *Repository) Record(ctx context.Context, id people.UserID, e audit.Entry) error {
	return transact(ctx, r.db, func(tx *sqlx.Tx) error {
		head, err := one[audit.Head](ctx, tx, `
			INSERT INTO audit_heads AS h (log_id, sequence, hash) VALUES ($1, 0, $2)
			ON CONFLICT (log_id) DO UPDATE SET sequence = h.sequence RETURNING log_id AS log, sequence, hash`,
			id, make([]byte, sha256.Size))
		if err != nil {
			return err
		}
		return (&mutation{Tx: tx, head: head}).Record(ctx, e)
	})
}

// SignIns implements people.Repository.
func (r *Repository) SignIns(ctx context.Context, id people.UserID, n int) ([]audit.Event, error) {
	return list[audit.Event](ctx, r.db, selectEvents+`ORDER BY sequence DESC LIMIT $2`, id, n)
}

// accountMutation is a transaction that changes an account, which it has locked
// after the audit heads of the account's organizations.
type accountMutation struct {
	tx      *sqlx.Tx
	heads   heads
	account people.Account
}

func lockAccount(ctx context.Context, tx *sqlx.Tx, h heads, condition string, arg any) (*accountMutation, error) {
	account, err := one[people.Account](ctx, tx,
		`SELECT `+accountColumns+` FROM users u WHERE `+condition+` FOR UPDATE`, arg)
	return &accountMutation{tx: tx, heads: h, account: account}, err
}

// store writes the mutable columns of an account. Another session epoch removes its
// sessions.
func (m *accountMutation) store(ctx context.Context, a people.Account) error {
	_, err := m.tx.ExecContext(ctx, `
		UPDATE users SET password = $2, password_temporary = $3, verified_at = $4, disabled_at = $5, session_epoch = $6,
			code_sum = $7, code_expires_at = $8, totp_key = $9, totp_step = $10, recovery_codes = $11, passkeys = $12
		WHERE id = $1`, a.ID, a.Password, a.PasswordTemporary, null(a.VerifiedAt), null(a.DisabledAt), a.SessionEpoch,
		a.CodeSum, null(a.CodeExpiresAt), a.TOTPKey, a.TOTPStep, a.RecoveryCodes, a.Passkeys)
	if err == nil && m.account.Linked && !a.Linked {
		err = exec(ctx, m.tx, `DELETE FROM identities WHERE user_id = $1`, a.ID)
	}
	if err == nil && a.SessionEpoch != m.account.SessionEpoch {
		_, err = m.tx.ExecContext(ctx, `DELETE FROM sessions WHERE user_id = $1`, a.ID)
	}
	for _, head := range m.heads {
		if err == nil && a.DisabledAt.IsZero() != m.account.DisabledAt.IsZero() {
			err = head.announceOwned(ctx, a.ID)
		}
	}
	if err == nil {
		m.account = a
	}
	return err
}

// record appends to the audit log of each organization of the account.
func (m *accountMutation) record(ctx context.Context, e audit.Entry) error {
	e.Target = string(m.account.ID)
	for _, head := range m.heads {
		if err := head.Record(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// heads are the locked audit heads of several organizations, by their ids.
type heads []*mutation

// lockHeads locks in one order everywhere, so that no two transactions wait for
// each other.
func lockHeads(ctx context.Context, tx *sqlx.Tx, orgs []tokens.OrgID) (heads, error) {
	slices.Sort(orgs)
	var all heads
	for _, org := range slices.Compact(orgs) {
		m, err := lockHead(ctx, tx, org)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// Admit implements people.Repository.
func (r *Repository) Admit(ctx context.Context, a people.Admission) (u people.User, made bool, err error) {
	err = mutate(ctx, r.db, a.Organization, func(m *mutation) error {
		if a.Invitation != "" {
			if err := m.redeem(ctx, a.Invitation, a.Entry.At); err != nil {
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
	case !now.VerifiedAt.IsZero():
	case a.Verified:
		now.VerifiedAt = a.Entry.At
		err = account.store(ctx, now)
	default:
		var member bool
		member, err = one[bool](ctx, m,
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

// insertUser makes an account unless there is one with the e-mail address.
func insertUser(ctx context.Context, tx *sqlx.Tx, u people.User, password string) (made bool, err error) {
	n, err := affected(ctx, tx, `
		INSERT INTO users (id, email, name, password, created_at, verified_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (email) DO NOTHING`, u.ID, u.Email, u.Name, password, u.CreatedAt, null(u.VerifiedAt))
	return n > 0, err
}

// Link implements people.Repository.
func (r *Repository) Link(
	ctx context.Context, u people.User, identity people.Identity, e audit.Entry,
) (linked people.User, takenOver bool, err error) {
	err = transact(ctx, r.db, func(tx *sqlx.Tx) error {
		orgs, err := list[tokens.OrgID](ctx, tx, `
			SELECT m.organization_id FROM memberships m JOIN users u ON u.id = m.user_id WHERE u.email = $1`, u.Email)
		if err != nil {
			return err
		}
		heads, err := lockHeads(ctx, tx, orgs)
		if err != nil {
			return err
		}
		made, err := insertUser(ctx, tx, u, "")
		if err != nil {
			return err
		}
		m, err := lockAccount(ctx, tx, heads, `u.email = $1`, u.Email)
		if err != nil {
			return err
		}
		n, err := m.insertIdentity(ctx, identity, e.At)
		if err == nil && n > 0 && !made {
			takenOver, err = true, m.takeOver(ctx, e)
		}
		linked = m.account.User
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
	known, err := one[bool](ctx, m.tx,
		`SELECT EXISTS (SELECT FROM identities WHERE issuer = $1 AND subject = $2 AND user_id = $3)`,
		i.Issuer, i.Subject, m.account.ID)
	if err == nil && !known {
		err = tokens.ErrExists
	}
	return 0, err
}

// takeOver leaves an account to the holder of the identity that it got.
func (m *accountMutation) takeOver(ctx context.Context, e audit.Entry) error {
	now := m.account
	now.Password, now.PasswordTemporary, now.VerifiedAt, now.Linked = "", false, e.At, true
	now.RemoveFactors()
	now.SessionEpoch++
	if err := m.store(ctx, now); err != nil {
		return err
	}
	return m.record(ctx, e)
}
