package postgres

import (
	"context"
	"time"

	"github.com/lib/pq"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// selectTokens is completed by a condition. Every way to it begins with the
// primary key of api_tokens or with its organization's index.
//
//nolint:gosec // G101: a query, no credential
const selectTokens = `
	SELECT t.id, t.organization_id, o.name AS organization_name, o.created_at AS organization_created_at,
	       t.name, t.environment, t.permissions, t.ip_allow, t.rate_limit, t.rate_window_seconds,
	       t.created_at, t.expires_at, t.revoked_at, t.revoked_reason, t.pepper_version, t.mac, t.rev
	FROM api_tokens t JOIN organizations o ON o.id = t.organization_id `

// CreateToken implements tokens.Repository.
func (r *Repository) CreateToken(ctx context.Context, org tokens.OrgID, t tokens.Token, d tokens.Digest) (int64, error) {
	var revision int64
	err := r.db.GetContext(ctx, &revision, `
		WITH next AS (UPDATE revision SET value = value + 1 RETURNING value)
		INSERT INTO api_tokens (id, organization_id, name, environment, permissions, ip_allow,
			rate_limit, rate_window_seconds, created_at, expires_at, pepper_version, mac, rev)
		SELECT $1, $2, $3, $4, $5::text[], $6::cidr[], $7::integer, $8::integer, $9, $10::timestamptz,
			$11::smallint, $12::bytea, value
		FROM next
		RETURNING rev`,
		t.ID, org, t.Name, t.Environment, permissionTexts(t.Permissions), rangeTexts(t.IPAllow),
		t.RateLimit.Limit, int(t.RateLimit.Window.Seconds()), t.CreatedAt, nullTime(t.ExpiresAt),
		d.Version, d.MAC[:])
	return revision, translate(err)
}

// Token implements tokens.Repository.
func (r *Repository) Token(ctx context.Context, org tokens.OrgID, id tokens.TokenID) (tokens.Token, error) {
	var row tokenRow
	err := r.db.GetContext(ctx, &row, selectTokens+`WHERE t.organization_id = $1 AND t.id = $2`, org, id)
	if err != nil {
		return tokens.Token{}, translate(err)
	}
	return row.token()
}

// FindToken implements tokens.Repository.
func (r *Repository) FindToken(ctx context.Context, id tokens.TokenID) (tokens.Token, tokens.Digest, error) {
	var row tokenRow
	if err := r.db.GetContext(ctx, &row, selectTokens+`WHERE t.id = $1`, id); err != nil {
		return tokens.Token{}, tokens.Digest{}, translate(err)
	}
	t, err := row.token()
	return t, row.digest(), err
}

// Tokens implements tokens.Repository.
func (r *Repository) Tokens(ctx context.Context, org tokens.OrgID) ([]tokens.Token, error) {
	var rows []tokenRow
	err := r.db.SelectContext(ctx, &rows,
		selectTokens+`WHERE t.organization_id = $1 ORDER BY t.created_at DESC, t.id DESC`, org)
	if err != nil {
		return nil, translate(err)
	}
	all := make([]tokens.Token, len(rows))
	for i, row := range rows {
		if all[i], err = row.token(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// RevokeToken implements tokens.Repository. The revision moves only when there
// is a token left to revoke: whoever waited for that row's lock looks again.
func (r *Repository) RevokeToken(ctx context.Context, org tokens.OrgID, id tokens.TokenID, at time.Time, reason string) error {
	var found bool
	err := r.db.GetContext(ctx, &found, `
		WITH good AS (
			SELECT id FROM api_tokens
			WHERE organization_id = $1 AND id = $2 AND revoked_at IS NULL
			FOR UPDATE
		), next AS (
			UPDATE revision SET value = value + 1 WHERE EXISTS (SELECT FROM good) RETURNING value
		), revoked AS (
			UPDATE api_tokens t SET revoked_at = $3, revoked_reason = $4, rev = next.value
			FROM good, next WHERE t.id = good.id
		)
		SELECT true FROM api_tokens WHERE organization_id = $1 AND id = $2`,
		org, id, at, reason)
	return translate(err)
}

// Reseal implements tokens.Repository.
func (r *Repository) Reseal(ctx context.Context, id tokens.TokenID, old, sealed tokens.Digest) error {
	_, err := r.db.ExecContext(ctx, `
		UPDATE api_tokens SET pepper_version = $2, mac = $3
		WHERE id = $1 AND pepper_version = $4 AND mac = $5`,
		id, sealed.Version, sealed.MAC[:], old.Version, old.MAC[:])
	return translate(err)
}

func permissionTexts(permissions []tokens.Permission) pq.StringArray {
	texts := make(pq.StringArray, len(permissions))
	for i, p := range permissions {
		texts[i] = string(p)
	}
	return texts
}
