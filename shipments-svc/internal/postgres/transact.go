package postgres

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// attempts is how often a transaction is begun that Postgres ends so that
// another can go on.
const attempts = 3

// runner runs statements: a pool, or a transaction.
type runner interface {
	GetContext(ctx context.Context, into any, query string, args ...any) error
	SelectContext(ctx context.Context, into any, query string, args ...any) error
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

type txKey struct{}

// on returns what a method's statements run on: the transaction that its
// context carries, if any, and otherwise the pool.
func (r *Repository) on(ctx context.Context) runner {
	if tx, ok := ctx.Value(txKey{}).(*sqlx.Tx); ok {
		return tx
	}
	return r.db
}

// transact runs do in a transaction, again where Postgres chose it as the
// victim of a deadlock or could not serialize it. Within a transaction do is
// part of that one, and it is for whoever began it to begin anew.
func (r *Repository) transact(ctx context.Context, do func(*sqlx.Tx) error) error {
	if tx, ok := ctx.Value(txKey{}).(*sqlx.Tx); ok {
		return do(tx)
	}
	var err error
	for range attempts {
		err = r.once(ctx, do)
		pgErr, ok := errors.AsType[*pq.Error](err)
		if !ok || pgErr.Code != "40001" && pgErr.Code != "40P01" {
			return err
		}
	}
	return err
}

func (r *Repository) once(ctx context.Context, do func(*sqlx.Tx) error) error {
	tx, err := r.db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	if err := do(tx); err != nil {
		return err
	}
	err = tx.Commit()
	if errors.Is(err, sql.ErrTxDone) { // rolled back because the context had ended
		return ctx.Err()
	}
	return err
}
