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

// insertIdentity gives an account an identity, or tokens.ErrExists.
func insertIdentity(ctx context.Context, tx *sqlx.Tx, id people.UserID, identity people.Identity, at time.Time) error {
	n, err := affected(ctx, tx, `
		INSERT INTO identities (issuer, subject, user_id, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
		identity.Issuer, identity.Subject, id, at)
	if err == nil && n == 0 {
		return tokens.ErrExists
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

// of returns the head of one of the organizations.
func (h heads) of(org tokens.OrgID) *mutation {
	return h[slices.IndexFunc(h, func(m *mutation) bool { return m.org() == org })]
}

// Admit implements people.Repository.
func (r *Repository) Admit(ctx context.Context, a people.Admission) (admitted people.Admitted, err error) {
	err = transact(ctx, r.db, func(tx *sqlx.Tx) error {
		heads, err := lockHeadsForAdmission(ctx, tx, a)
		if err != nil {
			return err
		}
		if a.Invitation != "" {
			if err := heads.of(a.Organization).redeem(ctx, a.Invitation, a.Entry.At); err != nil {
				return err
			}
		}
		if admitted, err = admit(ctx, tx, heads, a); err != nil || a.Organization == "" {
			return err
		}
		return heads.of(a.Organization).join(ctx, admitted.ID, a)
	})
	return admitted, err
}

// join makes a person a member who is none, and was not removed before if the admission says so.
func (m *mutation) join(ctx context.Context, id people.UserID, a people.Admission) error {
	if a.UnlessRemoved {
		removed, err := one[bool](ctx, m,
			`SELECT EXISTS (SELECT FROM audit_events WHERE log_id = $1 AND action = $2 AND target = $3)`,
			m.org(), audit.MemberRemoved, id)
		if err != nil || removed {
			return err
		}
	}
	made, err := affected(ctx, m, `
		INSERT INTO memberships (organization_id, user_id, role, joined_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT DO NOTHING`, m.org(), id, a.Role, a.Entry.At)
	if err != nil || made == 0 {
		return err // they were a member before
	}
	a.Entry.Target = string(id)
	if err := m.Record(ctx, a.Entry); err != nil {
		return err
	}
	return m.announceOwned(ctx, id)
}

// lockHeadsForAdmission locks the head of the organization, if any, and those of all
// organizations of an account that may be taken over.
func lockHeadsForAdmission(ctx context.Context, tx *sqlx.Tx, a people.Admission) (heads, error) {
	orgs, err := list[tokens.OrgID](ctx, tx, `
		SELECT m.organization_id FROM memberships m JOIN users u ON u.id = m.user_id WHERE u.email = $1 AND $2
		UNION SELECT $3 WHERE $3 <> ''`, a.User.Email, a.Existing == people.TakeOver, a.Organization)
	if err != nil {
		return nil, err
	}
	return lockHeads(ctx, tx, orgs)
}

// admit returns the account with the e-mail address, which is made unless there is one, and locks it. It decides
// whether one that there is may join the organization, and takes it over where the admission says so.
func admit(ctx context.Context, tx *sqlx.Tx, h heads, a people.Admission) (people.Admitted, error) {
	u := a.User
	if a.Existing != people.RefuseExisting || a.Verified {
		u.VerifiedAt = a.Entry.At // an issuer, an operator or a mailed code has proved it
	}
	made, err := affected(ctx, tx, `
		INSERT INTO users (id, email, name, password, created_at, verified_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (email) DO NOTHING`, u.ID, u.Email, u.Name, a.Password, u.CreatedAt, null(u.VerifiedAt))
	if err != nil {
		return people.Admitted{}, err
	}
	m, err := lockAccount(ctx, tx, h, `u.email = $1`, u.Email)
	admitted := people.Admitted{User: m.account.User, Made: made > 0}
	switch {
	case err != nil:
	case admitted.Made && a.Identity != nil:
		err = insertIdentity(ctx, tx, u.ID, *a.Identity, u.CreatedAt)
	case admitted.Made:
	case a.Existing == people.RefuseExisting:
		err = tokens.ErrExists
	case a.Existing == people.TakeOver:
		admitted.TakenOver, err = m.takeOver(ctx, a)
		admitted.User = m.account.User
	case !m.account.VerifiedAt.IsZero():
	case a.Verified:
		verified := m.account
		verified.VerifiedAt = a.Entry.At
		err = m.store(ctx, verified)
		admitted.User = verified.User
	default:
		var member bool
		member, err = one[bool](ctx, tx,
			`SELECT EXISTS (SELECT FROM memberships WHERE organization_id = $1 AND user_id = $2)`,
			a.Organization, m.account.ID)
		if err == nil && !member {
			err = fmt.Errorf("user %s: %w", m.account.ID, people.ErrAccountUnverified)
		}
	}
	return admitted, err
}

// takeOver links the identity, whose issuer has verified the address, to an account that does not have it.
func (m *accountMutation) takeOver(ctx context.Context, a people.Admission) (done bool, err error) {
	linked, err := one[bool](ctx, m.tx,
		`SELECT EXISTS (SELECT FROM identities WHERE issuer = $1 AND subject = $2 AND user_id = $3)`,
		a.Identity.Issuer, a.Identity.Subject, m.account.ID)
	if err != nil || linked {
		return false, err
	}
	if err := insertIdentity(ctx, m.tx, m.account.ID, *a.Identity, a.Entry.At); err != nil {
		return false, err
	}
	now := m.account
	now.Password, now.PasswordTemporary, now.VerifiedAt, now.Linked = "", false, a.Entry.At, true
	now.RemoveFactors()
	now.SessionEpoch++
	if err := m.store(ctx, now); err != nil {
		return false, err
	}
	return true, m.record(ctx, a.TakeOverEntry)
}
