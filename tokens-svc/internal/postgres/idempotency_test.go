package postgres_test

import (
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestExpiredIdempotencyKeysAreRemoved, more than one batch of them, and no others.
func TestExpiredIdempotencyKeysAreRemoved(t *testing.T) {
	t.Parallel()
	dsn := fresh(t)
	repo := open(t, dsn)
	organization(t, repo)
	db := connect(t, dsn)
	if _, err := db.ExecContext(t.Context(), `
		INSERT INTO idempotency_keys (organization_id, key_sum, fingerprint, token_id, created_at)
		SELECT $1, sha256(n::text::bytea), sha256(''), 'tok_000000000001',
			$2::timestamptz - interval '1 day' - n * interval '1 ms'
		FROM generate_series(1, 10001) n`, someOrg, atNoon); err != nil {
		t.Fatal(err)
	}
	token, digest := newToken(t, 0)
	key := tokens.NewKey([32]byte{}, atNoon, "key")
	if _, err := createOnce(t, repo, someOrg, key, token, digest); err != nil {
		t.Fatal(err)
	}
	if err := repo.Prune(t.Context(), atNoon); err != nil {
		t.Fatal(err)
	}
	var left string
	if err := db.QueryRowContext(t.Context(),
		`SELECT string_agg(token_id, ' ') FROM idempotency_keys`).Scan(&left); err != nil || left != string(token.ID) {
		t.Errorf("%q are left (%v), want %s", left, err, token.ID)
	}
}
