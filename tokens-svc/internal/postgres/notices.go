package postgres

import (
	"context"
	"time"

	"github.com/lib/pq"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// ClaimExpiring implements people.Repository. Of several replicas each token falls to one.
func (p *People) ClaimExpiring(ctx context.Context, now, until time.Time) ([]tokens.Token, error) {
	ids, err := list[tokens.TokenID](ctx, p.db, `
		UPDATE api_tokens SET expiry_noticed = expires_at
		WHERE revoked_at IS NULL AND rotated_to IS NULL AND expires_at > $1 AND expires_at <= $2
			AND expires_at - created_at > $2 - $1::timestamptz AND expiry_noticed IS DISTINCT FROM expires_at
		RETURNING id`, now, until)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	return listTokens(ctx, p.db, selectTokens+`WHERE t.id = ANY ($1::text[]) ORDER BY t.id`, pq.Array(ids))
}
