package postgres

import (
	"context"
	"time"

	"github.com/lib/pq"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Change implements tokens.Repository.
func (r *Repository) Change(
	ctx context.Context, org tokens.OrgID, terms tokens.Terms, work func(tokens.Tx) error,
) error {
	return mutate(ctx, r.db, org, func(m *mutation) error {
		if err := m.admit(ctx, terms); err != nil {
			return err
		}
		return work(m)
	})
}

// admit checks the terms of a change under the lock of the organization.
func (m *mutation) admit(ctx context.Context, terms tokens.Terms) error {
	var now tokens.Standing
	var err error
	switch {
	case terms.Caller != "":
		now.Token, err = m.Token(ctx, terms.Caller)
	case terms.Person != "":
		now.Role, err = one[tokens.Role](ctx, m, `
			SELECT coalesce((SELECT m.role FROM memberships m JOIN users u ON u.id = m.user_id
				WHERE m.organization_id = $1 AND m.user_id = $2 AND u.disabled_at IS NULL), '')`, m.org(), terms.Person)
	}
	if err == nil && terms.Admit != nil {
		if now.Policy, err = policy(ctx, m, m.org()); err == nil {
			err = terms.Admit(now)
		}
	}
	if err != nil {
		return err
	}
	return m.checkKey(ctx, terms.Key)
}

// org returns the organization that the transaction changes.
func (m *mutation) org() tokens.OrgID { return tokens.OrgID(m.head.Log) }

// Token implements tokens.Tx. The token is locked.
func (m *mutation) Token(ctx context.Context, id tokens.TokenID) (tokens.Token, error) {
	row, err := one[tokenRow](ctx, m, selectTokens+
		`WHERE t.organization_id = $1 AND t.id = $2 FOR NO KEY UPDATE OF t`, m.org(), id)
	return row.token(), err
}

// Descendants implements tokens.Tx.
func (m *mutation) Descendants(ctx context.Context, lineage tokens.TokenID) ([]tokens.Token, error) {
	return descendants(ctx, m, m.org(), lineage)
}

// Active implements tokens.Tx.
func (m *mutation) Active(ctx context.Context, at time.Time) (int, error) {
	return one[int](ctx, m, `
		SELECT count(*) FROM api_tokens
		WHERE organization_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`, m.org(), at)
}

// Revoke implements tokens.Tx.
func (m *mutation) Revoke(ctx context.Context, ids []tokens.TokenID, at time.Time, reason string) error {
	err := exec(ctx, m, `UPDATE api_tokens SET revoked_at = $2, revoked_reason = $3 WHERE id = ANY ($1::text[])`,
		pq.Array(ids), at, reason)
	if err != nil {
		return err
	}
	return m.announce(ctx, ids, tokens.Revoked)
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

// Insert implements tokens.Tx.
func (m *mutation) Insert(ctx context.Context, t tokens.Token, d tokens.Digest) (int64, error) {
	return m.revised(ctx, `
		INSERT INTO api_tokens (id, organization_id, name, environment, permissions, ip_allow,
			rate_limit, rate_window_seconds, created_by_kind, created_by_id, created_by_name,
			created_at, expires_at, rotated_from, pepper_version, mac, owner_id, lineage,
			rotated_by_kind, rotated_by_id, rotated_by_name, rev)
		SELECT $1, $3, $4, $5, $6::text[], $7::cidr[], $8::integer, $9::integer, $10, $11, $12, $13::timestamptz,
			$14::timestamptz, $15, $16::smallint, $17::bytea, $18, $19, $20, $21, $22, value FROM next`,
		t.ID, tokens.Created, m.org(), t.Name, t.Environment, pq.Array(tokens.Texts(t.Permissions)),
		pq.Array(tokens.Texts(t.IPAllow)), t.RateLimit.Limit, int(t.RateLimit.Window.Seconds()), t.CreatedBy.Kind,
		t.CreatedBy.ID, t.CreatedBy.Name, t.CreatedAt, null(t.ExpiresAt), null(string(t.RotatedFrom)), d.Version,
		d.MAC[:], t.Owner.ID, t.Lineage, t.RotatedBy.Kind, t.RotatedBy.ID, t.RotatedBy.Name)
}

// Update implements tokens.Tx.
func (m *mutation) Update(ctx context.Context, t tokens.Token, kind tokens.ChangeKind) (int64, error) {
	return m.revised(ctx, `
		UPDATE api_tokens SET name = $3, permissions = $4::text[], ip_allow = $5::cidr[], rate_limit = $6,
			rate_window_seconds = $7, expires_at = $8, revoked_at = $9, revoked_reason = $10, rotated_to = $11,
			owner_id = $12, rev = value
		FROM next WHERE id = $1`,
		t.ID, kind, t.Name, pq.Array(tokens.Texts(t.Permissions)), pq.Array(tokens.Texts(t.IPAllow)), t.RateLimit.Limit,
		int(t.RateLimit.Window.Seconds()), null(t.ExpiresAt), null(t.RevokedAt), t.RevokedReason,
		null(string(t.RotatedTo)), t.Owner.ID)
}

var _ tokens.Tx = (*mutation)(nil)
