package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"github.com/lib/pq"
)

// ErrRefused is a statement that was not sent, because it would run in another way
// than its service allows. It has Postgres's code for missing privileges, so the
// connection stays usable.
var ErrRefused = &pq.Error{Severity: "ERROR", Code: "42501", Message: "refused before it was sent"}

// Transactional is a connection on which every statement runs in a transaction: one
// outside of a transaction gets its own, and none can be prepared, because it could
// then be executed outside of one.
type Transactional struct {
	Conn

	begin  func(context.Context, driver.TxOptions) (string, error)
	inside bool
}

// InTransactions returns c with transactions that begin with the statements of
// begin, such as BEGIN; SET LOCAL, in one round trip. c must be one of lib/pq's.
func InTransactions(
	c driver.Conn, begin func(context.Context, driver.TxOptions) (statements string, err error),
) *Transactional {
	return &Transactional{Conn: c.(Conn), begin: begin}
}

// Inside reports whether a transaction is open.
func (c *Transactional) Inside() bool { return c.inside }

// tx is the same connection: lib/pq ends transactions there.
func (c *Transactional) tx() driver.Tx { return c.Conn.(driver.Tx) }

// BeginTx implements driver.ConnBeginTx.
func (c *Transactional) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	statements, err := c.begin(ctx, opts)
	if err != nil {
		return nil, err
	}
	if _, err := c.Conn.ExecContext(ctx, statements, nil); err != nil {
		_ = c.Rollback() // it may have begun; if this fails, lib/pq discards the connection
		return nil, err
	}
	c.inside = true
	return c, nil
}

// Commit implements driver.Tx.
func (c *Transactional) Commit() error {
	c.inside = false
	return c.tx().Commit()
}

// Rollback implements driver.Tx.
func (c *Transactional) Rollback() error {
	c.inside = false
	return c.tx().Rollback()
}

// QueryContext implements driver.QueryerContext. Outside of a transaction the
// query's own commits when its rows are read or closed.
func (c *Transactional) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.inside {
		return c.Conn.QueryContext(ctx, query, args)
	}
	if _, err := c.BeginTx(ctx, driver.TxOptions{}); err != nil {
		return nil, err
	}
	rows, err := c.Conn.QueryContext(ctx, query, args)
	if err != nil {
		_ = c.Rollback()
		return nil, err
	}
	return &txRows{Rows: rows, tx: c}, nil
}

// ExecContext implements driver.ExecerContext, likewise.
func (c *Transactional) ExecContext(ctx context.Context, query string,
	args []driver.NamedValue,
) (driver.Result, error) {
	if c.inside {
		return c.Conn.ExecContext(ctx, query, args)
	}
	if _, err := c.BeginTx(ctx, driver.TxOptions{}); err != nil {
		return nil, err
	}
	result, err := c.Conn.ExecContext(ctx, query, args)
	if err != nil {
		_ = c.Rollback()
		return nil, err
	}
	return result, c.Commit()
}

// PrepareContext implements driver.ConnPrepareContext.
func (c *Transactional) PrepareContext(context.Context, string) (driver.Stmt, error) {
	return nil, fmt.Errorf("%w: a prepared statement could run outside of a transaction", ErrRefused)
}

// txRows end their transaction: with a commit when they are read or closed, and
// with a rollback if the query failed.
type txRows struct {
	driver.Rows

	tx     driver.Tx
	failed bool // the query
	ended  bool // the transaction
}

// Next implements driver.Rows. The end of the rows is reported after the
// commit, so that an error of the commit is not lost.
func (r *txRows) Next(row []driver.Value) error {
	err := r.Rows.Next(row)
	if errors.Is(err, io.EOF) {
		if failed := r.Close(); failed != nil {
			return failed
		}
	}
	r.failed = r.failed || err != nil
	return err
}

// Close implements driver.Rows. It ends the transaction.
func (r *txRows) Close() error {
	if r.ended {
		return nil
	}
	r.ended = true
	if err := r.Rows.Close(); err != nil || r.failed {
		_ = r.tx.Rollback()
		return err
	}
	return r.tx.Commit()
}

var _ Conn = (*Transactional)(nil)
