package postgres

import (
	"context"
	"database/sql"

	"github.com/jmoiron/sqlx"
)

// single is a runner that gives each statement a transaction of its own, of a scope.
type single struct {
	db *sqlx.DB
	scope
}

// GetContext implements runner.
func (s single) GetContext(ctx context.Context, into any, query string, args ...any) error {
	return s.retried(ctx, func(ctx context.Context) error { return s.db.GetContext(ctx, into, query, args...) })
}

// SelectContext implements runner.
func (s single) SelectContext(ctx context.Context, into any, query string, args ...any) error {
	return s.retried(ctx, func(ctx context.Context) error { return s.db.SelectContext(ctx, into, query, args...) })
}

// ExecContext implements runner.
func (s single) ExecContext(ctx context.Context, query string, args ...any) (result sql.Result, err error) {
	err = s.retried(ctx, func(ctx context.Context) error {
		result, err = s.db.ExecContext(ctx, query, args...)
		return err
	})
	return result, err
}
