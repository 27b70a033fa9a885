package postgres

import (
	"context"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// selectTokens is completed by a condition. Every way to it begins with the
// primary key of api_tokens or with its organization's index.
//
//nolint:gosec // G101: a query, no credential
const selectTokens = `
	SELECT t.id, t.organization_id, o.name AS organization_name, o.created_at AS organization_created_at,
	       t.name, t.environment, t.permissions, t.ip_allow, t.rate_limit, t.rate_window_seconds,
	       t.created_by_kind, t.created_by_id, t.created_by_name, t.created_at, t.expires_at,
	       t.revoked_at, t.revoked_reason, coalesce(t.rotated_from, '') AS rotated_from,
	       coalesce(t.rotated_to, '') AS rotated_to, t.pepper_version, t.mac, t.rev
	FROM api_tokens t JOIN organizations o ON o.id = t.organization_id `

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

// Reseal implements tokens.Repository.
func (r *Repository) Reseal(ctx context.Context, id tokens.TokenID, old, sealed tokens.Digest) error {
	_, err := r.db.ExecContext(ctx, `
		UPDATE api_tokens SET pepper_version = $2, mac = $3
		WHERE id = $1 AND pepper_version = $4 AND mac = $5`,
		id, sealed.Version, sealed.MAC[:], old.Version, old.MAC[:])
	return translate(err)
}
