package postgres

import (
	"context"
	"database/sql"
	"errors"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// attempts is how often a transaction is begun that had no effect and may
// succeed when it is repeated.
const attempts = 3

// runner runs statements: in a transaction each, or in one that goes on.
type runner interface {
	GetContext(ctx context.Context, into any, query string, args ...any) error
	SelectContext(ctx context.Context, into any, query string, args ...any) error
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// getRow runs a statement that returns one row, or shipments.ErrNotFound.
func getRow[Row any](ctx context.Context, on runner, doing, query string, args ...any) (row Row, err error) {
	err = on.GetContext(ctx, &row, query, args...)
	return row, failure(doing, err)
}

// getRows runs a statement that returns any number of rows.
func getRows[Row any](ctx context.Context, on runner, doing, query string, args ...any) (rows []Row, err error) {
	err = on.SelectContext(ctx, &rows, query, args...)
	return rows, failure(doing, err)
}

// execute runs a statement that returns nothing.
func execute(ctx context.Context, on runner, doing, query string, args ...any) error {
	_, err := on.ExecContext(ctx, query, args...)
	return failure(doing, err)
}

// ongoing is a transaction that a context carries.
type ongoing struct {
	*sqlx.Tx

	scope scope
}

type txKey struct{}

// tenant returns what statements for an organization run on: the transaction that the
// context carries, if any, and otherwise one of its own for each statement. A transaction of
// another organization is a fault of the program.
func (r *Repository) tenant(ctx context.Context, org shipments.OrgID) runner {
	s := scope{tenantRole, uuid.UUID(org)}
	tx, ok := ctx.Value(txKey{}).(ongoing)
	if ok && tx.scope != s {
		panic("postgres: the transaction works for another organization")
	}
	if ok {
		return tx.Tx
	}
	return single{r.db, s}
}

// dispatcher returns what statements run on that find organizations with work, or claim a
// job of any. They see nothing else.
func (r *Repository) dispatcher() runner { return single{r.db, scope{role: dispatcherRole}} }

// transact runs do in a transaction for an organization and repeats it as
// retried does. Within a transaction do is part of that one, which is repeated
// as a whole.
func (r *Repository) transact(ctx context.Context, org shipments.OrgID, do func(*sqlx.Tx) error) error {
	on := r.tenant(ctx, org)
	if tx, ok := on.(*sqlx.Tx); ok {
		return do(tx)
	}
	return on.(single).retried(ctx, func(ctx context.Context) error { return once(ctx, r.db, do) })
}

// retried runs a transaction of the scope, and again if Postgres chose it as the victim
// of a deadlock, could not serialize it, or found a prepared statement out of date.
func (s scope) retried(ctx context.Context, transaction func(context.Context) error) (err error) {
	ctx = context.WithValue(ctx, scopeKey{}, s)
	for range attempts {
		err = transaction(ctx)
		pgErr, ok := errors.AsType[*pq.Error](err)
		victim := ok && (pgErr.Code == "40001" || pgErr.Code == "40P01")
		if !victim && !errors.Is(err, postgres.ErrStalePlan) {
			return err
		}
	}
	return err
}

func once(ctx context.Context, db *sqlx.DB, do func(*sqlx.Tx) error) error {
	tx, err := db.BeginTxx(ctx, nil)
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
