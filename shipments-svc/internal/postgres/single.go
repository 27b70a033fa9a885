package postgres

import (
	"context"
	"database/sql"

	"github.com/jmoiron/sqlx"
)

// single is a runner that gives each statement a transaction of its own.
type single struct {
	db       *sqlx.DB
	scope    scope
	readOnly bool
}

// GetContext implements runner.
func (s single) GetContext(ctx context.Context, into any, query string, args ...any) error {
	return retried(func() error { return s.db.GetContext(s.scope.within(ctx, s.readOnly), into, query, args...) })
}

// SelectContext implements runner.
func (s single) SelectContext(ctx context.Context, into any, query string, args ...any) error {
	return retried(func() error { return s.db.SelectContext(s.scope.within(ctx, s.readOnly), into, query, args...) })
}

// ExecContext implements runner.
func (s single) ExecContext(ctx context.Context, query string, args ...any) (result sql.Result, err error) {
	err = retried(func() error {
		result, err = s.db.ExecContext(s.scope.within(ctx, s.readOnly), query, args...)
		return err
	})
	return result, err
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
