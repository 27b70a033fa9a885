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

// Once implements shipments.Repository.
func (r *Repository) Once(
	ctx context.Context, org shipments.OrgID, k shipments.Key, now time.Time, do func(context.Context) ([]byte, error),
) (answer []byte, replayed bool, err error) {
	err = r.transact(ctx, org, "once", func(tx *sqlx.Tx) error {
		var mine bool
		if err := tx.GetContext(ctx, &mine, query("try_lock").text, org, k.Operation+" "+k.Text); err != nil {
			return err
		}
		if !mine {
			return shipments.ErrKeyInProgress
		}
		var row struct{ Fingerprint, Answer []byte }
		switch err := tx.GetContext(ctx, &row, query("read_key").text, org, k.Operation, k.Text, now); {
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
			ctx, query("write_key").text, org, k.Operation, k.Text, now.Add(shipments.KeyLife), k.Fingerprint[:], answer,
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
