package postgres

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/lib/pq"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Change implements tokens.Repository.
func (r *Repository) Change(ctx context.Context, org tokens.OrgID, steps ...func(tokens.Tx) error) error {
	return r.mutate(ctx, org, func(m *mutation) (err error) {
		if m.organization, err = getRow[tokens.Organization](ctx, m, selectOrganization, org); err != nil {
			return err
		}
		for _, step := range steps {
			if err := step(m); err != nil {
				return err
			}
		}
		return nil
	})
}

// Role implements tokens.Tx.
func (m *mutation) Role(ctx context.Context, person string) (tokens.Role, error) {
	return getRow[tokens.Role](ctx, m, `
		SELECT coalesce((SELECT m.role FROM memberships m JOIN users u ON u.id = m.user_id
			WHERE m.organization_id = $1 AND m.user_id = $2 AND u.disabled_at IS NULL), '')`, m.org(), person)
}

// org returns the organization that the transaction changes.
func (m *mutation) org() tokens.OrgID { return tokens.OrgID(m.head.Log) }

// Token implements tokens.Tx. The token is locked.
func (m *mutation) Token(ctx context.Context, id tokens.TokenID) (tokens.Token, error) {
	row, err := getRow[tokenRow](ctx, m, selectTokens+
		`WHERE t.organization_id = $1 AND t.id = $2 FOR NO KEY UPDATE OF t`, m.org(), id)
	return row.token(), err
}

// Descendants implements tokens.Tx.
func (m *mutation) Descendants(ctx context.Context, lineage tokens.TokenID) ([]tokens.Token, error) {
	return descendants(ctx, m, m.org(), lineage)
}

// Active implements tokens.Tx.
func (m *mutation) Active(ctx context.Context, at time.Time) (int, error) {
	return getRow[int](ctx, m, `
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
	_, err = m.announce(ctx, ids, tokens.Revoked)
	return err
}

// Insert implements tokens.Tx. The counter of revisions stays locked until the commit, for all organizations.
func (m *mutation) Insert(ctx context.Context, t tokens.Token, d tokens.Digest) (int64, error) {
	return getRow[int64](ctx, m, `
		WITH next AS (
			UPDATE revision SET value = value + 1 RETURNING value
		), change AS (
			INSERT INTO changes (rev, token_id, kind) SELECT value, $1, $2 FROM next
		), made AS (
			INSERT INTO api_tokens (id, organization_id, name, environment, permissions, ip_allow,
				rate_limit, rate_window_seconds, created_by_kind, created_by_id, created_by_name,
				created_at, expires_at, rotated_from, pepper_version, mac, owner_id, lineage,
				rotated_by_kind, rotated_by_id, rotated_by_name, rev)
			SELECT $1, $3, $4, $5, $6::text[], $7::cidr[], $8::integer, $9::integer, $10, $11, $12, $13::timestamptz,
				$14::timestamptz, $15, $16::smallint, $17::bytea, $18, $19, $20, $21, $22, value FROM next RETURNING rev
		)
		SELECT rev FROM made, LATERAL (SELECT pg_notify($23, '')) notified`,
		t.ID, tokens.Created, m.org(), t.Name, t.Environment, pq.Array(tokens.Texts(t.Permissions)),
		pq.Array(tokens.Texts(t.IPAllow)), t.RateLimit.Limit, t.RateLimit.WindowSeconds, t.CreatedBy.Kind,
		t.CreatedBy.ID, t.CreatedBy.Name, t.CreatedAt, null(t.ExpiresAt), null(string(t.RotatedFrom)), d.Version,
		d.MAC[:], t.Owner.ID, t.Lineage, t.RotatedBy.Kind, t.RotatedBy.ID, t.RotatedBy.Name, channel)
}

// Update implements tokens.Tx.
func (m *mutation) Update(ctx context.Context, t tokens.Token, kind tokens.ChangeKind) (int64, error) {
	err := exec(ctx, m, `
		UPDATE api_tokens SET name = $2, permissions = $3, ip_allow = $4::cidr[], rate_limit = $5,
			rate_window_seconds = $6, expires_at = $7, rotated_to = $8, owner_id = $9
		WHERE id = $1`,
		t.ID, t.Name, pq.Array(tokens.Texts(t.Permissions)), pq.Array(tokens.Texts(t.IPAllow)), t.RateLimit.Limit,
		t.RateLimit.WindowSeconds, null(t.ExpiresAt), null(string(t.RotatedTo)), t.Owner.ID)
	if err != nil {
		return 0, err
	}
	return m.announce(ctx, []tokens.TokenID{t.ID}, kind)
}

var _ tokens.Tx = (*mutation)(nil)

// CheckKey implements tokens.Tx. The lock on the head orders requests with one key, and this statement sees what
// committed before the lock.
func (m *mutation) CheckKey(ctx context.Context, k *tokens.Key) error {
	if k == nil {
		return nil
	}
	type keyRow struct {
		Fingerprint []byte
		TokenID     tokens.TokenID
	}
	row, err := getRow[keyRow](ctx, m, `
		SELECT fingerprint, token_id FROM idempotency_keys
		WHERE organization_id = $1 AND key_sum = $2 AND created_at > $3`,
		m.org(), k.Sum[:], k.At.Add(-tokens.KeyLifetime))
	switch {
	case errors.Is(err, tokens.ErrNotFound):
		return nil
	case err != nil:
		return err
	case !bytes.Equal(row.Fingerprint, k.Fingerprint[:]):
		return tokens.ErrKeyReused
	}
	return &tokens.RepeatedError{Token: row.TokenID}
}

// StoreKey implements tokens.Tx. The row of an expired key is replaced.
func (m *mutation) StoreKey(ctx context.Context, k *tokens.Key, id tokens.TokenID) error {
	if k == nil {
		return nil
	}
	return exec(ctx, m, `
		INSERT INTO idempotency_keys (organization_id, key_sum, fingerprint, token_id, created_at)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (organization_id, key_sum) DO UPDATE
		SET fingerprint = excluded.fingerprint, token_id = excluded.token_id, created_at = excluded.created_at`,
		m.org(), k.Sum[:], k.Fingerprint[:], id, k.At)
}
