package postgres

import (
	"cmp"
	"context"

	"github.com/lib/pq"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// CreateToken implements tokens.Repository.
func (r *Repository) CreateToken(
	ctx context.Context, org tokens.OrgID, t tokens.Token, d tokens.Digest, k *tokens.Key, e audit.Entry,
) (revision int64, err error) {
	err = mutate(ctx, r.db, org, func(m *mutation) error {
		if err := m.checkKey(ctx, org, k); err != nil {
			return err
		}
		if err := m.record(ctx, e); err != nil {
			return err
		}
		if err := m.storeKey(ctx, org, k, t.ID); err != nil {
			return err
		}
		revision, err = m.insert(ctx, org, t, d)
		return err
	})
	return revision, err
}

// ChangeToken implements tokens.Repository.
func (r *Repository) ChangeToken(
	ctx context.Context, org tokens.OrgID, id tokens.TokenID, k *tokens.Key, decide func(tokens.Token) (tokens.Step, error),
) (done tokens.Step, err error) {
	err = mutate(ctx, r.db, org, func(m *mutation) error {
		if err := m.checkKey(ctx, org, k); err != nil {
			return err
		}
		t, err := one[tokenRow](ctx, m, selectTokens+`WHERE t.organization_id = $1 AND t.id = $2 FOR NO KEY UPDATE OF t`, org, id)
		if err != nil {
			return err
		}
		if done, err = decide(t.token()); err != nil {
			return err
		}
		if err := m.storeKey(ctx, org, k, cmp.Or(done.Successor.ID, id)); err != nil || done.Kind == "" {
			return err
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

// insert stores a new token under the next revision.
func (m *mutation) insert(ctx context.Context, org tokens.OrgID, t tokens.Token, d tokens.Digest) (int64, error) {
	revision, err := m.announce(ctx, t.ID, tokens.Created)
	if err != nil {
		return 0, err
	}
	_, err = m.ExecContext(ctx, `
		INSERT INTO api_tokens (id, organization_id, name, environment, permissions, ip_allow,
			rate_limit, rate_window_seconds, created_by_kind, created_by_id, created_by_name,
			created_at, expires_at, rotated_from, pepper_version, mac, rev, owner_id, lineage)
		VALUES ($1, $2, $3, $4, $5::text[], $6::cidr[], $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
		t.ID, org, t.Name, t.Environment, pq.Array(tokens.Texts(t.Permissions)), pq.Array(tokens.Texts(t.IPAllow)),
		t.RateLimit.Limit, int(t.RateLimit.Window.Seconds()), t.CreatedBy.Kind, t.CreatedBy.ID, t.CreatedBy.Name,
		t.CreatedAt, null(t.ExpiresAt), null(string(t.RotatedFrom)), d.Version, d.MAC[:], revision, t.Owner.ID, t.Lineage)
	return revision, err
}

// update stores a token's mutable columns under the next revision.
func (m *mutation) update(ctx context.Context, t tokens.Token, kind tokens.ChangeKind) (int64, error) {
	revision, err := m.announce(ctx, t.ID, kind)
	if err != nil {
		return 0, err
	}
	_, err = m.ExecContext(ctx, `
		UPDATE api_tokens SET name = $2, permissions = $3::text[], ip_allow = $4::cidr[], rate_limit = $5,
			rate_window_seconds = $6, expires_at = $7, revoked_at = $8, revoked_reason = $9, rotated_to = $10, rev = $11, owner_id = $12
		WHERE id = $1`,
		t.ID, t.Name, pq.Array(tokens.Texts(t.Permissions)), pq.Array(tokens.Texts(t.IPAllow)), t.RateLimit.Limit,
		int(t.RateLimit.Window.Seconds()), null(t.ExpiresAt), null(t.RevokedAt), t.RevokedReason,
		null(string(t.RotatedTo)), revision, t.Owner.ID)
	return revision, err
}
