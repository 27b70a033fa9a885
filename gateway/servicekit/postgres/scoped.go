package postgres

import (
	"context"
	"database/sql"
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

// scoper makes connections that begin with the statements of setup, and on which every statement runs in a
// transaction with the settings of its context's scope.
type scoper struct {
	driver.Connector

	setup string
	scope func(context.Context) (settings string, ok bool)
}

// Connect implements driver.Connector.
func (s scoper) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := s.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if s.setup != "" {
		if _, err := c.(Conn).ExecContext(ctx, s.setup, nil); err != nil {
			_ = c.Close()
			return nil, err
		}
	}
	single, _ := c.(*preparingConn)
	return &scopedConn{Conn: c.(Conn), scope: s.scope, single: single}, nil
}

// scopedConn is a connection on which every statement runs in a transaction: one outside of a transaction gets its
// own, in one round trip where statements are prepared, and none can be prepared by the caller, because it could then
// be executed outside of one.
type scopedConn struct {
	Conn

	scope  func(context.Context) (settings string, ok bool)
	single *preparingConn // Conn, or nil
	inside bool           // a transaction
}

// tx is the same connection: lib/pq ends transactions there.
func (c *scopedConn) tx() driver.Tx { return c.Conn.(driver.Tx) }

// BeginTx implements driver.ConnBeginTx, in one round trip with the settings.
func (c *scopedConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if opts.Isolation != driver.IsolationLevel(sql.LevelDefault) {
		return nil, fmt.Errorf("%w: an isolation level other than the server's", ErrRefused)
	}
	settings, _ := c.scope(ctx)
	if _, err := c.Conn.ExecContext(ctx, "BEGIN; "+settings, nil); err != nil {
		_ = c.Rollback() // it may have begun; if this fails, lib/pq discards the connection
		return nil, err
	}
	c.inside = true
	return c, nil
}

// Commit implements driver.Tx.
func (c *scopedConn) Commit() error {
	c.inside = false
	return c.tx().Commit()
}

// Rollback implements driver.Tx.
func (c *scopedConn) Rollback() error {
	c.inside = false
	return c.tx().Rollback()
}

// enter returns what to send for a statement, and whether a transaction of its own was begun for it.
func (c *scopedConn) enter(
	ctx context.Context, query string, args []driver.NamedValue,
) (text string, rest []driver.NamedValue, own bool, err error) {
	if c.inside {
		return query, args, false, nil
	}
	settings, ok := c.scope(ctx)
	if !ok {
		return "", nil, false, fmt.Errorf("%w: a statement that belongs to no scope", ErrRefused)
	}
	if c.single != nil {
		text, err = c.single.message(ctx, settings, query, args)
		return text, nil, false, err
	}
	_, err = c.BeginTx(ctx, driver.TxOptions{})
	return query, args, err == nil, err
}

// QueryContext implements driver.QueryerContext. A transaction of the query's own
// commits when its rows are read or closed.
func (c *scopedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	query, args, own, err := c.enter(ctx, query, args)
	if err != nil {
		return nil, err
	}
	rows, err := c.Conn.QueryContext(ctx, query, args)
	if own && err == nil {
		return &txRows{Rows: rows, tx: c}, nil
	}
	if own {
		_ = c.Rollback()
	}
	return rows, err
}

// ExecContext implements driver.ExecerContext, likewise.
func (c *scopedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	query, args, own, err := c.enter(ctx, query, args)
	if err != nil {
		return nil, err
	}
	result, err := c.Conn.ExecContext(ctx, query, args)
	if own && err == nil {
		return result, c.Commit()
	}
	if own {
		_ = c.Rollback()
	}
	return result, err
}

// PrepareContext implements driver.ConnPrepareContext.
func (c *scopedConn) PrepareContext(context.Context, string) (driver.Stmt, error) {
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
