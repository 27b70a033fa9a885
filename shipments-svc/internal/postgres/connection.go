package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"github.com/lib/pq"
)

// errBroken says that Postgres was not there, or that what came from it was not
// its protocol: the connection is of no more use.
var errBroken = errors.New("no talking to Postgres")

// connector opens connections that know when they are of no more use.
type connector struct {
	driver.Connector

	told []func(error)
}

// Connect implements driver.Connector.
func (c connector) Connect(ctx context.Context) (opened driver.Conn, err error) {
	guarded := &connection{told: c.told}
	defer guarded.judge(begin(ctx, "connect", ""), &err)
	inner, err := c.Connector.Connect(ctx)
	switch {
	case errors.Is(err, io.EOF):
		return nil, io.ErrUnexpectedEOF
	case err != nil:
		return nil, err
	}
	guarded.pqConn = inner.(pqConn)
	return guarded, nil
}

// pqConn is what database/sql asks of lib/pq's connections.
type pqConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.NamedValueChecker
	driver.Pinger
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
}

// connection is one of lib/pq's. That by itself returns a plain error, keeps the
// connection or panics, depending on what it did not understand; a panic would
// cost database/sql a place in the pool for good, and a connection that is kept
// may answer the next question with what was meant for this one.
type connection struct {
	pqConn

	told   []func(error)
	broken bool
}

// judge is deferred by whatever asks Postgres, and looks at how that ended. An
// error that is neither Postgres's own nor the context's ends the connection.
func (c *connection) judge(asked question, err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("%v", cause)
	}
	if !foreseen(*err) {
		c.broken = true
		*err = fmt.Errorf("%w: %w", errBroken, *err)
	}
	asked.end(*err)
	c.tell(asked.ctx, *err)
}

// foreseen reports whether err is one that the protocol knows, or database/sql.
func foreseen(err error) bool {
	_, said := errors.AsType[*pq.Error](err)
	return err == nil || said || errors.Is(err, io.EOF) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// tell tells whoever wants to know whether Postgres can serve. Who left before
// the answer says nothing about that.
func (c *connection) tell(ctx context.Context, err error) {
	if errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	if errors.Is(err, io.EOF) || !Unavailable(err) { // the end of rows, or what Postgres has against a statement
		err = nil
	}
	for _, told := range c.told {
		told(err)
	}
}

// IsValid implements driver.Validator.
func (c *connection) IsValid() bool { return !c.broken && c.pqConn.IsValid() }

// QueryContext implements driver.QueryerContext.
func (c *connection) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (rows driver.Rows, err error) {
	defer c.judge(begin(ctx, operation(query), query), &err)
	rows, err = c.pqConn.QueryContext(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return &answer{rows, c, ctx}, nil
}

// ExecContext implements driver.ExecerContext.
func (c *connection) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (result driver.Result, err error) {
	defer c.judge(begin(ctx, operation(query), query), &err)
	return c.pqConn.ExecContext(ctx, query, args)
}

// BeginTx implements driver.ConnBeginTx.
func (c *connection) BeginTx(ctx context.Context, options driver.TxOptions) (tx driver.Tx, err error) {
	defer c.judge(begin(ctx, "BEGIN", ""), &err)
	tx, err = c.pqConn.BeginTx(ctx, options)
	if err != nil {
		return nil, err
	}
	return transaction{tx, c, ctx}, nil
}

// answer is the rows of a query.
type answer struct {
	driver.Rows

	from *connection
	ctx  context.Context //nolint:containedctx // the query's; driver.Rows' methods have none
}

// Next implements driver.Rows.
func (a *answer) Next(row []driver.Value) (err error) {
	defer a.from.judge(question{ctx: a.ctx}, &err)
	return a.Rows.Next(row)
}

// Close implements driver.Rows.
func (a *answer) Close() (err error) {
	defer a.from.judge(question{ctx: a.ctx}, &err)
	return a.Rows.Close()
}

// transaction is one that was begun.
type transaction struct {
	driver.Tx

	from *connection
	ctx  context.Context //nolint:containedctx // the transaction's; driver.Tx' methods have none
}

// Commit implements driver.Tx.
func (t transaction) Commit() (err error) {
	defer t.from.judge(begin(t.ctx, "COMMIT", ""), &err)
	return t.Tx.Commit()
}

// Rollback implements driver.Tx.
func (t transaction) Rollback() (err error) {
	defer t.from.judge(begin(t.ctx, "ROLLBACK", ""), &err)
	return t.Tx.Rollback()
}

var _ pqConn = (*connection)(nil)
