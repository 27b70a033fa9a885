package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/lib/pq"
)

// maxPrepared bounds the statements that one connection keeps prepared, those
// with names apart. Each costs the server some ten kilobytes until its
// connection is closed.
const maxPrepared = 256

// ErrStalePlan is the error of a statement whose prepared form no longer fits
// the schema, or is unknown to the server. The statement had no effect, and its
// connection is not used again. Outside of a transaction database/sql repeats
// it on another connection; a transaction has to be repeated from its beginning.
var ErrStalePlan = errors.New("a prepared statement is out of date")

// preparer makes connections that prepare each statement with parameters once,
// under a name, so that Postgres parses it once and may keep its plan.
type preparer struct{ driver.Connector }

// Connect implements driver.Connector.
func (p preparer) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := p.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &preparingConn{Conn: c.(Conn), Tx: c.(driver.Tx)}, nil
}

// statement is what lib/pq prepares.
type statement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

type preparingConn struct {
	Conn
	driver.Tx

	statements cache[statement]
	names      cache[string] // of statements that are executed by name
	named      int           // how many had names
	stale      bool
}

// QueryContext implements driver.QueryerContext.
func (c *preparingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if len(args) == 0 {
		return c.Conn.QueryContext(ctx, query, args)
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
		return c.Conn.ExecContext(ctx, query, args)
	}
	s, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	result, err := s.ExecContext(ctx, args)
	return result, c.check(err)
}

// IsValid implements driver.Validator.
func (c *preparingConn) IsValid() bool { return !c.stale && c.Conn.IsValid() }

// prepared returns the statement of a text.
func (c *preparingConn) prepared(ctx context.Context, query string) (statement, error) {
	return c.statements.get(query, func() (statement, error) {
		prepared, err := c.PrepareContext(ctx, query)
		if err != nil {
			return nil, err
		}
		s, ok := prepared.(statement)
		if !ok {
			return nil, fmt.Errorf("a statement of %T cannot be executed with a context", prepared)
		}
		return s, nil
	}, statement.Close)
}

// cache keeps maxPrepared statements by their texts. When it is full, the one
// prepared first makes room.
type cache[S any] struct {
	statements map[string]S
	oldest     []string // their texts, in the order in which they were prepared
}

func (c *cache[S]) get(query string, prepare func() (S, error), release func(S) error) (S, error) {
	s, ok := c.statements[query]
	if ok {
		return s, nil
	}
	if len(c.oldest) == maxPrepared {
		first := c.oldest[0]
		if err := release(c.statements[first]); err != nil {
			return s, err
		}
		delete(c.statements, first)
		c.oldest = c.oldest[1:]
	}
	s, err := prepare()
	if err != nil {
		return s, err
	}
	if c.statements == nil {
		c.statements = map[string]S{}
	}
	c.statements[query] = s
	c.oldest = append(c.oldest, query)
	return s, nil
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
