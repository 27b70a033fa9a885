package postgres

import (
	"context"
	"crypto/sha256"
	"reflect"
	"slices"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Account implements people.Repository.
func (r *Repository) Account(ctx context.Context, idOrEmail string) (people.Account, error) {
	return getRow[people.Account](ctx, r.db,
		`SELECT `+accountColumns+` FROM users u WHERE u.id = $1 OR u.email = $1`, idOrEmail)
}

// ChangeAccount implements people.Repository.
func (r *Repository) ChangeAccount(
	ctx context.Context, id people.UserID, decide func(*people.Account) (audit.Entry, error),
) (people.User, error) {
	var changed people.Account
	err := r.changeAccount(ctx, `u.id = $1`, id, "", func(tx *sqlx.Tx, heads heads) error {
		m, err := lockAccount(ctx, tx, heads, `u.id = $1`, id)
		if err != nil {
			return err
		}
		changed = m.account
		changed.Passkeys = slices.Clone(changed.Passkeys)
		entry, err := decide(&changed)
		if err == nil {
			err = storeMails(ctx, tx, string(id), entry.At, entry.Mails)
		}
		if entry.Mails = nil; err != nil || reflect.DeepEqual(changed, m.account) {
			return err
		}
		if !changed.DisabledAt.IsZero() {
			err = m.checkOwners(ctx)
		}
		if err == nil {
			err = m.store(ctx, changed)
		}
		if err != nil || entry.Action == "" {
			return err
		}
		return m.record(ctx, entry)
	})
	return changed.User, err
}

// Record implements people.Repository.
func (r *Repository) Record(ctx context.Context, id people.UserID, e audit.Entry) error {
	return transact(ctx, r.db, func(tx *sqlx.Tx) error {
		head, err := getRow[audit.Head](ctx, tx, `
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
	return getRows[audit.Event](ctx, r.db, selectEvents+`ORDER BY sequence DESC LIMIT $2`, id, n)
}

// accountMutation is a transaction that changes an account, which it has locked
// after the audit heads of the account's organizations.
type accountMutation struct {
	tx      *sqlx.Tx
	heads   heads
	account people.Account
}

func lockAccount(ctx context.Context, tx *sqlx.Tx, h heads, condition string, arg any) (*accountMutation, error) {
	account, err := getRow[people.Account](ctx, tx,
		`SELECT `+accountColumns+` FROM users u WHERE `+condition+` FOR UPDATE`, arg)
	return &accountMutation{tx: tx, heads: h, account: account}, err
}

// store writes the mutable columns of an account. Another session epoch removes its sessions.
func (m *accountMutation) store(ctx context.Context, a people.Account) error {
	_, err := m.tx.ExecContext(ctx, `
		UPDATE users SET password = $2, password_temporary = $3, verified_at = $4, disabled_at = $5, session_epoch = $6,
			code_sum = $7, code_expires_at = $8, totp_key = $9, totp_step = $10, recovery_codes = $11, passkeys = $12,
			name = $13, verify_sum = $14, verify_expires_at = $15
		WHERE id = $1`, a.ID, a.Password, a.PasswordTemporary, null(a.VerifiedAt), null(a.DisabledAt), a.SessionEpoch,
		a.Reset.Sum, null(a.Reset.ExpiresAt), a.TOTPKey, a.TOTPStep, a.RecoveryCodes, a.Passkeys,
		a.Name, a.Verify.Sum, null(a.Verify.ExpiresAt))
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

// checkOwners gives people.ErrLastOwner if without the account an organization would have no owner who can sign in.
func (m *accountMutation) checkOwners(ctx context.Context) error {
	last, err := getRow[bool](ctx, m.tx, `
		SELECT EXISTS (SELECT FROM memberships m WHERE m.user_id = $1 AND m.role = 'owner' AND NOT EXISTS (
			SELECT FROM memberships o JOIN users u ON u.id = o.user_id
			WHERE o.organization_id = m.organization_id AND o.role = 'owner' AND u.disabled_at IS NULL AND u.id <> $1))`,
		m.account.ID)
	if err == nil && last && m.account.DisabledAt.IsZero() {
		err = people.ErrLastOwner
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

// changeAccount runs work in a transaction that has locked the heads of all organizations of the account with a
// condition, and that of another one, unless it is "". They are locked in one order everywhere, so that no two
// transactions wait for each other. It takes a place of the first: a place of each could be waited for in a circle.
func (r *Repository) changeAccount(
	ctx context.Context, condition string, arg any, other tokens.OrgID, work func(*sqlx.Tx, heads) error,
) error {
	organizations := func(db sqlx.QueryerContext) ([]tokens.OrgID, error) {
		orgs, err := getRows[tokens.OrgID](ctx, db, `
			SELECT m.organization_id FROM memberships m JOIN users u ON u.id = m.user_id WHERE `+condition+`
			UNION SELECT $2::text WHERE $2 <> ''`, arg, other)
		slices.Sort(orgs)
		return orgs, err
	}
	orgs, err := organizations(r.db)
	if err != nil {
		return err
	}
	release, err := r.acquire(ctx, append(orgs, "")[0])
	if err != nil {
		return translate(err)
	}
	defer release()
	return transact(ctx, r.db, func(tx *sqlx.Tx) error {
		orgs, err := organizations(tx)
		locked := make(heads, len(orgs))
		for i, org := range orgs {
			if err == nil {
				locked[i], err = lockHead(ctx, tx, org)
			}
		}
		if err != nil {
			return err
		}
		return work(tx, locked)
	})
}
