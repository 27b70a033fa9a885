package postgres

import (
	"context"
	"database/sql"

	"github.com/jmoiron/sqlx"
)

// single is a runner that gives each statement a transaction of its own: one
// round trip before it and, where it changed something, one after it.
type single struct {
	db       *sqlx.DB
	scope    scope
	readOnly bool
}

// GetContext implements runner.
func (s single) GetContext(ctx context.Context, into any, query string, args ...any) error {
	return s.run(ctx, func(tx *sqlx.Tx) error { return tx.GetContext(ctx, into, query, args...) })
}

// SelectContext implements runner.
func (s single) SelectContext(ctx context.Context, into any, query string, args ...any) error {
	return s.run(ctx, func(tx *sqlx.Tx) error { return tx.SelectContext(ctx, into, query, args...) })
}

// ExecContext implements runner.
func (s single) ExecContext(ctx context.Context, query string, args ...any) (result sql.Result, err error) {
	err = s.run(ctx, func(tx *sqlx.Tx) error {
		result, err = tx.ExecContext(ctx, query, args...)
		return err
	})
	return result, err
}

func (s single) run(ctx context.Context, do func(*sqlx.Tx) error) error {
	if s.readOnly {
		return retried(func() error { return s.read(ctx, do) })
	}
	return retried(func() error { return once(ctx, s.db, s.scope, do) })
}

func (s single) read(ctx context.Context, do func(*sqlx.Tx) error) error {
	tx, err := s.db.BeginTxx(s.scope.within(ctx), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { go func() { _ = tx.Rollback() }() }() // what was read is read: its end need not be awaited
	return do(tx)
}

// refusal is a runner that runs nothing.
type refusal struct{}

// GetContext implements runner.
func (refusal) GetContext(context.Context, any, string, ...any) error { return errOtherScope }

// SelectContext implements runner.
func (refusal) SelectContext(context.Context, any, string, ...any) error { return errOtherScope }

// ExecContext implements runner.
func (refusal) ExecContext(context.Context, string, ...any) (sql.Result, error) {
	return nil, errOtherScope
}
