package postgres

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const (
	// readKeySQL reads the stored answer at $4. After tryLockSQL it must be a
	// statement of its own: it sees what was committed before the lock was got.
	readKeySQL = `
SELECT fingerprint, answer FROM idempotency_keys
WHERE organization_id = $1 AND operation = $2 AND key = $3 AND expires_at > $4`

	// writeKeySQL stores an answer until $4.
	writeKeySQL = `
INSERT INTO idempotency_keys AS k (organization_id, operation, key, expires_at, fingerprint, answer)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (organization_id, operation, key) DO UPDATE
SET expires_at = excluded.expires_at, fingerprint = excluded.fingerprint, answer = excluded.answer`

	// expireKeysSQL removes up to $3 answers that are no longer kept at $2, and
	// returns how many these were.
	expireKeysSQL = `
WITH expired AS (
	DELETE FROM idempotency_keys WHERE organization_id = $1 AND (operation, key) IN (
		SELECT operation, key FROM idempotency_keys
		WHERE organization_id = $1 AND expires_at <= $2
		ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED)
	RETURNING key
)
SELECT count(*) FROM expired`
)

// Once implements shipments.Repository.
func (r *Repository) Once(
	ctx context.Context, org shipments.OrgID, k shipments.Key, now time.Time, do func(context.Context) ([]byte, error),
) (answer []byte, replayed bool, err error) {
	err = r.transact(ctx, org, "once", func(tx *sqlx.Tx) error {
		var mine bool
		if err := tx.GetContext(ctx, &mine, tryLockSQL, org, k.Operation+" "+k.Text); err != nil {
			return err
		}
		if !mine {
			return shipments.ErrKeyInProgress
		}
		var row struct{ Fingerprint, Answer []byte }
		switch err := tx.GetContext(ctx, &row, readKeySQL, org, k.Operation, k.Text, now); {
		case err == nil && !bytes.Equal(row.Fingerprint, k.Fingerprint[:]):
			return shipments.ErrKeyReused
		case err == nil:
			answer, replayed = row.Answer, true
			return nil
		case !errors.Is(err, sql.ErrNoRows):
			return err
		}
		if answer, err = do(within(ctx, org, tx)); err != nil {
			return err
		}
		_, err = tx.ExecContext(
			ctx, writeKeySQL, org, k.Operation, k.Text, now.Add(shipments.KeyLife), k.Fingerprint[:], answer,
		)
		return err
	})
	if err == nil && !replayed {
		notify(r.Announced, r.Queued, r.WebhooksDue) // what do changed can be seen only now
	}
	return answer, replayed, err
}

// Daily reports whether a task is to be done now: once a day of all replicas together.
func (r *Repository) Daily(ctx context.Context, task string, now time.Time) (bool, error) {
	key := shipments.Key{Operation: task} // of no organization
	_, done, err := r.Once(ctx, shipments.OrgID{}, key, now, func(context.Context) ([]byte, error) {
		return []byte("{}"), nil
	})
	if errors.Is(err, shipments.ErrKeyInProgress) {
		return false, nil
	}
	return err == nil && !done, err
}
