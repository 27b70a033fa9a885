package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"

	"github.com/lib/pq"
)

// maxPrepared bounds the statements that one connection keeps prepared: one with more is closed when it is no longer in
// use. Each costs the server some ten kilobytes.
const maxPrepared = 256

// ErrStalePlan is the error of a statement whose prepared form no longer fits
// the schema, or is unknown to the server. The statement had no effect, and its
// connection is not used again. Outside of a transaction database/sql repeats
// it on another connection; a transaction has to be repeated from its beginning.
var ErrStalePlan = errors.New("a prepared statement is out of date")

// preparer makes connections that prepare each statement with parameters once,
// so that Postgres parses it once and may keep its plan.
type preparer struct{ driver.Connector }

// Connect implements driver.Connector.
func (p preparer) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := p.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &preparingConn{
		Conn: c.(Conn), Tx: c.(driver.Tx), statements: map[string]statement{}, names: map[string]string{},
	}, nil
}

// statement is what lib/pq prepares.
type statement interface {
	driver.StmtExecContext
	driver.StmtQueryContext
}

type preparingConn struct {
	Conn
	driver.Tx

	statements map[string]statement // by their texts
	names      map[string]string    // of statements that message executes, by their texts
	stale      bool
}

// QueryContext implements driver.QueryerContext.
func (c *preparingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if len(args) == 0 {
		rows, err := c.Conn.QueryContext(ctx, query, args)
		return rows, c.check(err)
	}
	s, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := s.QueryContext(ctx, args)
	return rows, c.check(err)
}

// ExecContext implements driver.ExecerContext.
func (c *preparingConn) ExecContext(ctx context.Context, query string,
	args []driver.NamedValue,
) (driver.Result, error) {
	if len(args) == 0 {
		result, err := c.Conn.ExecContext(ctx, query, args)
		return result, c.check(err)
	}
	s, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	result, err := s.ExecContext(ctx, args)
	return result, c.check(err)
}

// IsValid implements driver.Validator.
func (c *preparingConn) IsValid() bool {
	return !c.stale && len(c.statements)+len(c.names) <= maxPrepared && c.Conn.IsValid()
}

// prepared returns the statement of a text.
func (c *preparingConn) prepared(ctx context.Context, query string) (statement, error) {
	if s, ok := c.statements[query]; ok {
		return s, nil
	}
	prepared, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	s := prepared.(statement)
	c.statements[query] = s
	return s, nil
}

// named returns the name of the prepared statement of a text, because lib/pq does not give away its own names.
func (c *preparingConn) named(ctx context.Context, query string) (string, error) {
	if name, ok := c.names[query]; ok {
		return name, nil
	}
	name := "single_" + strconv.Itoa(len(c.names))
	if _, err := c.Conn.ExecContext(ctx, "PREPARE "+name+" AS "+query, nil); err != nil {
		return "", err
	}
	c.names[query] = name
	return name, nil
}

// The SQLSTATEs of a statement whose result has changed ("cached plan must not
// change result type") and of one that the server does not have, as after
// DISCARD ALL or behind a pooler that does not track prepared statements.
const (
	featureNotSupported  = "0A000"
	unknownPreparedState = "26000"
)

func (c *preparingConn) check(err error) error {
	serverErr, ok := errors.AsType[*pq.Error](err)
	if !ok || serverErr.Code != unknownPreparedState && (serverErr.Code != featureNotSupported ||
		serverErr.Routine != "RevalidateCachedQuery") {
		return err
	}
	c.stale = true
	return fmt.Errorf("%w: %w: %w", ErrStalePlan, driver.ErrBadConn, err)
}
