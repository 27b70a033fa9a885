package postgres

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// checkKey returns a *tokens.RepeatedError or tokens.ErrKeyReused when the
// organization stored the key within tokens.KeyLife. The lock on the head orders
// requests with one key, and this statement sees what committed before the lock.
func (m *mutation) checkKey(ctx context.Context, k *tokens.Key) error {
	if k == nil {
		return nil
	}
	type keyRow struct {
		Fingerprint []byte
		TokenID     tokens.TokenID
	}
	row, err := one[keyRow](ctx, m, `
		SELECT fingerprint, token_id FROM idempotency_keys
		WHERE organization_id = $1 AND key_sum = $2 AND created_at > $3`, m.org(), k.Sum[:], k.At.Add(-tokens.KeyLifetime))
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
	_, err := m.ExecContext(ctx, `
		INSERT INTO idempotency_keys (organization_id, key_sum, fingerprint, token_id, created_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (organization_id, key_sum) DO UPDATE
		SET fingerprint = excluded.fingerprint, token_id = excluded.token_id, created_at = excluded.created_at`,
		m.org(), k.Sum[:], k.Fingerprint[:], id, k.At)
	return err
}

// PruneKeys removes idempotency keys that were stored before a time.
func (r *Repository) PruneKeys(ctx context.Context, before time.Time) error {
	return r.prune(ctx, `
		DELETE FROM idempotency_keys WHERE (organization_id, key_sum) IN (
			SELECT organization_id, key_sum FROM idempotency_keys
			WHERE created_at < $1 ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)`, before)
}
