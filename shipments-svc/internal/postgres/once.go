package postgres

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const (
	// lockKeySQL locks a key until the transaction ends, or says that someone
	// else has it. $1 is the organization, $2 the operation, $3 the text.
	lockKeySQL = `
SELECT pg_try_advisory_xact_lock(hashtextextended($1 || ' ' || $2 || ' ' || $3, 0))`

	// awaitKeySQL is the same for the holder of the key's lease, who only waits
	// while others look whether they can have it.
	awaitKeySQL = `
SELECT true FROM pg_advisory_xact_lock(hashtextextended($1 || ' ' || $2 || ' ' || $3, 0))`

	// readKeySQL reads the stored answer at $4. It must be a statement of its
	// own: it sees what was committed before the lock was got.
	readKeySQL = `
SELECT fingerprint, answer FROM idempotency_keys
WHERE organization_id = $1 AND operation = $2 AND key = $3 AND expires_at > $4`

	// leaseKeySQL leases a key for $5 milliseconds, unless another lease of it goes
	// on; then it returns nothing. On the way it removes a few leases of the
	// organization whose holders died.
	leaseKeySQL = `
WITH ended AS (
	DELETE FROM idempotency_leases WHERE organization_id = $1 AND (operation, key) IN (
		SELECT operation, key FROM idempotency_leases
		WHERE organization_id = $1 AND ends_at <= now() AND (operation, key) <> ($2, $3)
		ORDER BY operation, key LIMIT 10 FOR UPDATE SKIP LOCKED)
)
INSERT INTO idempotency_leases AS l (organization_id, operation, key, lease, ends_at)
VALUES ($1, $2, $3, $4, now() + $5 * interval '1 millisecond')
ON CONFLICT (organization_id, operation, key) DO UPDATE SET lease = excluded.lease, ends_at = excluded.ends_at
WHERE l.ends_at <= now()
RETURNING true`

	freeKeySQL = `
DELETE FROM idempotency_leases WHERE organization_id = $1 AND operation = $2 AND key = $3 AND lease = $4`

	// writeKeySQL stores an answer from $4 until $5, and ends the key's lease. It
	// also deletes a few expired keys of the organization, so that their number
	// does not grow.
	writeKeySQL = `
WITH freed AS (
	DELETE FROM idempotency_leases WHERE organization_id = $1 AND operation = $2 AND key = $3
), expired AS (
	DELETE FROM idempotency_keys WHERE organization_id = $1 AND (operation, key) IN (
		SELECT operation, key FROM idempotency_keys
		WHERE organization_id = $1 AND expires_at <= $4 AND key <> $3
		ORDER BY expires_at LIMIT 10 FOR UPDATE SKIP LOCKED)
)
INSERT INTO idempotency_keys AS k (organization_id, operation, key, expires_at, fingerprint, answer)
VALUES ($1, $2, $3, $5, $6, $7)
ON CONFLICT (organization_id, operation, key) DO UPDATE
SET expires_at = excluded.expires_at, fingerprint = excluded.fingerprint, answer = excluded.answer`
)

// Once implements shipments.Repository.
func (r *Repository) Once(ctx context.Context, org shipments.OrgID, k shipments.Key, now time.Time, do func(context.Context) ([]byte, error)) (answer []byte, replayed bool, err error) {
	err = r.transact(ctx, org, func(tx *sqlx.Tx) error {
		lock := lockKeySQL
		if k.Lease != (shipments.Lease{}) {
			lock = awaitKeySQL
		}
		answer, replayed, err = locked(ctx, tx, org, k, now, lock)
		if err != nil || replayed {
			return err
		}
		if answer, err = do(context.WithValue(ctx, txKey{}, ongoing{tx, tenantOf(org)})); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, writeKeySQL, uuid.UUID(org), k.Operation, k.Text, now, now.Add(shipments.KeyLife), k.Fingerprint[:], answer)
		return err
	})
	if err == nil && !replayed {
		r.notify() // what do announced can be seen only now
	}
	return answer, replayed, failure("once", err)
}

// Reserve implements shipments.Repository.
func (r *Repository) Reserve(ctx context.Context, org shipments.OrgID, k shipments.Key, now time.Time) (answer []byte, replayed bool, err error) {
	err = r.transact(ctx, org, func(tx *sqlx.Tx) error {
		answer, replayed, err = locked(ctx, tx, org, k, now, lockKeySQL)
		if err != nil || replayed {
			return err
		}
		var leased bool
		err = tx.GetContext(ctx, &leased, leaseKeySQL, uuid.UUID(org), k.Operation, k.Text, uuid.UUID(k.Lease), shipments.LeaseOfKey.Milliseconds())
		if errors.Is(err, sql.ErrNoRows) {
			return shipments.ErrKeyInProgress
		}
		return err
	})
	return answer, replayed, failure("reserve", err)
}

// Free implements shipments.Repository.
func (r *Repository) Free(ctx context.Context, org shipments.OrgID, k shipments.Key) error {
	return execute(ctx, r.writes(ctx, org), "free", freeKeySQL, uuid.UUID(org), k.Operation, k.Text, uuid.UUID(k.Lease))
}

// locked locks a key and returns the answer stored under it.
func locked(ctx context.Context, tx *sqlx.Tx, org shipments.OrgID, k shipments.Key, now time.Time, lock string) ([]byte, bool, error) {
	var mine bool
	if err := tx.GetContext(ctx, &mine, lock, uuid.UUID(org).String(), k.Operation, k.Text); err != nil {
		return nil, false, err
	}
	if !mine {
		return nil, false, shipments.ErrKeyInProgress
	}
	var row struct{ Fingerprint, Answer []byte }
	err := tx.GetContext(ctx, &row, readKeySQL, uuid.UUID(org), k.Operation, k.Text, now)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	case !bytes.Equal(row.Fingerprint, k.Fingerprint[:]):
		return nil, false, shipments.ErrKeyReused
	default:
		return row.Answer, true, nil
	}
}
