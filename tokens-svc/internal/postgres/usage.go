package postgres

import (
	"context"
	_ "embed" // for the statement
	"encoding/json"
	"errors"
	"time"

	"github.com/lib/pq"

	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

//go:embed add_usage.sql
var addUsage string

// AddUsage implements tokens.Repository. It is one statement.
func (r *Repository) AddUsage(ctx context.Context, uses []tokens.Use) error {
	if len(uses) == 0 {
		return nil
	}
	text, err := json.Marshal(uses)
	if err != nil {
		return err
	}
	return exec(ctx, r.db, addUsage, string(text), tokens.KeptErrors)
}

const (
	// usageKept is the retention of hourly usage and of errors.
	usageKept = 30 * 24 * time.Hour
	// pruneBatch is how many rows are removed at once.
	pruneBatch = 10_000
)

// Prune removes what is kept no longer: old hours of usage, but not the newest of a token, which says when it was last
// used; their errors; idempotency keys; sessions that have expired; mails
// that were sent; and counts of attempts, which mean nothing any more.
func (r *Repository) Prune(ctx context.Context, now time.Time) error {
	var errs []error
	for _, old := range []struct {
		statement string
		before    time.Time
	}{
		{`DELETE FROM token_usage WHERE (token_id, hour) IN (
			SELECT old.token_id, old.hour FROM token_usage old
			WHERE old.hour < $1 AND EXISTS (
				SELECT FROM token_usage newer WHERE newer.token_id = old.token_id AND newer.hour > old.hour
			)
			ORDER BY old.hour LIMIT $2)`, now.Add(-usageKept)},
		{
			`DELETE FROM token_errors WHERE token_id IN (SELECT token_id FROM token_errors WHERE last_at < $1 LIMIT $2)`,
			now.Add(-usageKept),
		},
		{`DELETE FROM idempotency_keys WHERE (organization_id, key_sum) IN (
			SELECT organization_id, key_sum FROM idempotency_keys
			WHERE created_at < $1 ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)`, now.Add(-tokens.KeyLifetime)},
		{`DELETE FROM mails WHERE (recipient, name, about) IN (
			SELECT recipient, name, about FROM mails WHERE due_at <= $1 AND events = 0 LIMIT $2 FOR UPDATE SKIP LOCKED)`, now},
		{`DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at <= $1 LIMIT $2)`, now},
		{
			`DELETE FROM sign_in_attempts WHERE key IN (SELECT key FROM sign_in_attempts WHERE since <= $1 LIMIT $2)`,
			now.Add(-people.AttemptWindow),
		},
	} {
		n, err := int64(pruneBatch), error(nil)
		for n == pruneBatch && err == nil {
			n, err = affected(ctx, r.db, old.statement, old.before, pruneBatch)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Usage implements tokens.Repository.
func (r *Repository) Usage(
	ctx context.Context, org tokens.OrgID, ids []tokens.TokenID, since time.Time,
) ([]tokens.Use, error) {
	return getRows[tokens.Use](ctx, r.db, `
		SELECT t.id AS token, u.requests, u.refused, last.last_used_at, host(last.address) AS address
		FROM api_tokens t CROSS JOIN LATERAL (
			SELECT last_used_at, address FROM token_usage WHERE token_id = t.id ORDER BY hour DESC LIMIT 1
		) last CROSS JOIN LATERAL (
			SELECT coalesce(sum(requests), 0)::bigint AS requests, coalesce(sum(refused), 0)::bigint AS refused
			FROM token_usage WHERE token_id = t.id AND hour >= $3
		) u
		WHERE t.organization_id = $1 AND t.id = ANY ($2::text[])`, org, pq.Array(ids), since)
}

// History implements tokens.Repository.
func (r *Repository) History(
	ctx context.Context, org tokens.OrgID, id tokens.TokenID, since time.Time,
) (hours []tokens.Hour, errors []tokens.Failure, err error) {
	hours, err = getRows[tokens.Hour](ctx, r.db, `
		SELECT hour, requests, unauthorized, forbidden, limited, rejected, failed FROM token_usage
		WHERE token_id = coalesce((SELECT id FROM api_tokens WHERE id = $2 AND organization_id = $1), $1)
			AND ($2 = '' OR token_id = $2) AND hour >= $3 ORDER BY hour`, org, id, since)
	if err != nil {
		return nil, nil, err
	}
	text, err := getRow[string](ctx, r.db, `
		SELECT coalesce((SELECT errors FROM token_errors e JOIN api_tokens t ON t.id = e.token_id
			WHERE t.id = $2 AND t.organization_id = $1), '[]')`, org, id)
	if err == nil {
		err = json.Unmarshal([]byte(text), &errors)
	}
	return hours, errors, err
}
