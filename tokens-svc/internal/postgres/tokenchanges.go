package postgres

import (
	"cmp"
	"context"
	"time"

	"github.com/lib/pq"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// CreateToken implements tokens.Repository.
func (r *Repository) CreateToken(
	ctx context.Context, org tokens.OrgID, terms tokens.Terms, create func(tokens.Organization) (tokens.Creation, error),
) (made tokens.Token, err error) {
	o, err := r.Organization(ctx, org)
	if err != nil {
		return made, err
	}
	err = mutate(ctx, r.db, org, func(m *mutation) error {
		if err := m.admit(ctx, org, terms); err != nil {
			return err
		}
		c, err := create(o)
		if err != nil {
			return err
		}
		if err := m.checkActive(ctx, org, terms, c.Entry.At); err != nil {
			return err
		}
		if err := m.record(ctx, c.Entry); err != nil {
			return err
		}
		if err := m.storeKey(ctx, org, terms.Key, c.Token.ID); err != nil {
			return err
		}
		made = c.Token
		made.Revision, err = m.insert(ctx, org, c.Token, c.Digest)
		return err
	})
	return made, err
}

// ChangeToken implements tokens.Repository.
func (r *Repository) ChangeToken(
	ctx context.Context, org tokens.OrgID, id tokens.TokenID, terms tokens.Terms,
	decide func(tokens.Token) (tokens.Step, error),
) (done tokens.Step, err error) {
	err = mutate(ctx, r.db, org, func(m *mutation) error {
		if err := m.admit(ctx, org, terms); err != nil {
			return err
		}
		t, err := m.token(ctx, org, id)
		if err != nil {
			return err
		}
		if done, err = decide(t); err != nil {
			return err
		}
		if err := m.storeKey(ctx, org, terms.Key, cmp.Or(done.Successor.ID, id)); err != nil || done.Kind == "" {
			return err
		}
		if done.Kind == tokens.Rotated && done.Token.Status(done.Entry.At) == tokens.StatusActive { // beside its successor
			if err := m.checkActive(ctx, org, terms, done.Entry.At); err != nil {
				return err
			}
		}
		if err := m.record(ctx, done.Entry); err != nil {
			return err
		}
		if done.Kind == tokens.Rotated {
			if done.Successor.Revision, err = m.insert(ctx, org, done.Successor, done.Digest); err != nil {
				return err
			}
		}
		done.Token.Revision, err = m.update(ctx, done.Token, done.Kind)
		return err
	})
	return done, err
}

// RevokeTokens implements tokens.Repository. The number of statements does not
// depend on the number of tokens.
func (r *Repository) RevokeTokens(
	ctx context.Context, org tokens.OrgID, id tokens.TokenID, children bool, terms tokens.Terms,
	decide func(t tokens.Token, made []tokens.Token) (tokens.Revocation, error),
) (t tokens.Token, err error) {
	err = mutate(ctx, r.db, org, func(m *mutation) error {
		if err := m.admit(ctx, org, terms); err != nil {
			return err
		}
		if t, err = m.token(ctx, org, id); err != nil {
			return err
		}
		var made []tokens.Token
		if children {
			if made, err = descendants(ctx, m, org, t.Lineage); err != nil {
				return err
			}
		}
		ended, err := decide(t, made)
		if err != nil {
			return err
		}
		if err := m.storeKey(ctx, org, terms.Key, id); err != nil || len(ended.Tokens) == 0 {
			return err
		}
		if err := m.record(ctx, ended.Entries...); err != nil {
			return err
		}
		err = exec(ctx, m, `UPDATE api_tokens SET revoked_at = $2, revoked_reason = $3 WHERE id = ANY ($1::text[])`,
			pq.Array(ended.Tokens), ended.At, ended.Reason)
		if err != nil {
			return err
		}
		if err := m.announce(ctx, ended.Tokens, tokens.Revoked); err != nil {
			return err
		}
		t, err = m.token(ctx, org, id)
		return err
	})
	return t, err
}

// admit checks the terms of a change under the lock of the organization.
func (m *mutation) admit(ctx context.Context, org tokens.OrgID, terms tokens.Terms) error {
	var now tokens.Standing
	var err error
	switch {
	case terms.Caller != "":
		now.Token, err = m.token(ctx, org, terms.Caller)
	case terms.Person != "":
		now.Role, err = one[tokens.Role](ctx, m, `
			SELECT coalesce((SELECT m.role FROM memberships m JOIN users u ON u.id = m.user_id
				WHERE m.organization_id = $1 AND m.user_id = $2 AND u.disabled_at IS NULL), '')`, org, terms.Person)
	}
	if err == nil && terms.Admit != nil {
		if now.Policy, err = policy(ctx, m, org); err == nil {
			err = terms.Admit(now)
		}
	}
	if err != nil {
		return err
	}
	return m.checkKey(ctx, org, terms.Key)
}

// token returns a token of the organization, locked.
func (m *mutation) token(ctx context.Context, org tokens.OrgID, id tokens.TokenID) (tokens.Token, error) {
	row, err := one[tokenRow](ctx, m, selectTokens+
		`WHERE t.organization_id = $1 AND t.id = $2 FOR NO KEY UPDATE OF t`, org, id)
	return row.token(), err
}

// checkActive returns a *tokens.TooManyError where the organization may not have
// one more active token.
func (m *mutation) checkActive(ctx context.Context, org tokens.OrgID, terms tokens.Terms, at time.Time) error {
	if terms.MaxActive == 0 {
		return nil
	}
	n, err := one[int](ctx, m, `
		SELECT count(*) FROM api_tokens
		WHERE organization_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`, org, at)
	if err == nil && n >= terms.MaxActive {
		err = &tokens.TooManyError{Max: terms.MaxActive}
	}
	return err
}

// next begins a statement that writes the token $1 under the next revision and tells
// followers: $2 is the kind of change. The counter stays locked until the commit, for
// all organizations, so it is used in the last statements of a transaction.
const next = `
	WITH next AS (
		UPDATE revision SET value = value + 1 RETURNING value
	), change AS (
		INSERT INTO changes (rev, token_id, kind) SELECT value, $1, $2 FROM next
	)`

// revised runs a statement that begins with next and ends with returning.
func (m *mutation) revised(ctx context.Context, statement string, args ...any) (int64, error) {
	var row struct {
		Revision int64  `db:"rev"`
		Notified string `db:"notified"` // nothing: pg_notify returns void
	}
	err := m.GetContext(ctx, &row, next+statement+` RETURNING rev, pg_notify('`+channel+
		`', '')::text AS notified`, args...)
	return row.Revision, err
}

// insert stores a new token under the next revision.
func (m *mutation) insert(ctx context.Context, org tokens.OrgID, t tokens.Token, d tokens.Digest) (int64, error) {
	return m.revised(ctx, `
		INSERT INTO api_tokens (id, organization_id, name, environment, permissions, ip_allow,
			rate_limit, rate_window_seconds, created_by_kind, created_by_id, created_by_name,
			created_at, expires_at, rotated_from, pepper_version, mac, owner_id, lineage,
			rotated_by_kind, rotated_by_id, rotated_by_name, rev)
		SELECT $1, $3, $4, $5, $6::text[], $7::cidr[], $8::integer, $9::integer, $10, $11, $12, $13::timestamptz,
			$14::timestamptz, $15, $16::smallint, $17::bytea, $18, $19, $20, $21, $22, value FROM next`,
		t.ID, tokens.Created, org, t.Name, t.Environment, pq.Array(tokens.Texts(t.Permissions)),
		pq.Array(tokens.Texts(t.IPAllow)), t.RateLimit.Limit, int(t.RateLimit.Window.Seconds()), t.CreatedBy.Kind,
		t.CreatedBy.ID, t.CreatedBy.Name, t.CreatedAt, null(t.ExpiresAt), null(string(t.RotatedFrom)), d.Version,
		d.MAC[:], t.Owner.ID, t.Lineage, t.RotatedBy.Kind, t.RotatedBy.ID, t.RotatedBy.Name)
}

// update stores a token's mutable columns under the next revision.
func (m *mutation) update(ctx context.Context, t tokens.Token, kind tokens.ChangeKind) (int64, error) {
	return m.revised(ctx, `
		UPDATE api_tokens SET name = $3, permissions = $4::text[], ip_allow = $5::cidr[], rate_limit = $6,
			rate_window_seconds = $7, expires_at = $8, revoked_at = $9, revoked_reason = $10, rotated_to = $11,
			owner_id = $12, rev = value
		FROM next WHERE id = $1`,
		t.ID, kind, t.Name, pq.Array(tokens.Texts(t.Permissions)), pq.Array(tokens.Texts(t.IPAllow)), t.RateLimit.Limit,
		int(t.RateLimit.Window.Seconds()), null(t.ExpiresAt), null(t.RevokedAt), t.RevokedReason,
		null(string(t.RotatedTo)), t.Owner.ID)
}
