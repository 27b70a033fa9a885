package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"

	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
)

// servingRole is the role of every statement of a pool, whatever the login. It
// can append to audit_events and can neither change, remove nor truncate its
// rows, and it owns no table. Migrate works as the login.
const servingRole = "quayside_tokens"

// errRefused is a statement that was not sent, because it would not run as
// servingRole. It has Postgres's code for missing privileges, so the connection
// stays usable.
var errRefused = &pq.Error{Severity: "ERROR", Code: "42501", Message: "refused before it was sent"}

// startedAsServingRole opens direct connections, which have the role from their
// beginning to their end.
func startedAsServingRole(c driver.Connector, statementTimeout string) driver.Connector {
	return postgres.Initialized(c, "SET statement_timeout = "+pq.QuoteLiteral(statementTimeout)+"; SET ROLE "+servingRole)
}

// roleConnector opens connections on which every statement runs as servingRole.
// The role is set for one transaction at a time (SET LOCAL), so it holds through
// a transaction pooler and never leaks to another of the pooler's clients. A
// statement outside of a transaction gets one of its own.
type roleConnector struct {
	driver.Connector

	timeout string // a statement_timeout
}

func asServingRole(c driver.Connector, statementTimeout string) driver.Connector {
	return roleConnector{c, statementTimeout}
}

// Connect implements driver.Connector.
func (r roleConnector) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := r.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &roleConn{Conn: c.(postgres.Conn), tx: c.(driver.Tx), timeout: r.timeout}, nil
}

type roleConn struct {
	postgres.Conn

	tx      driver.Tx // the same connection: lib/pq ends transactions there
	timeout string
	inside  bool // a transaction
}

// BeginTx implements driver.ConnBeginTx, in one round trip.
func (c *roleConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	mode := ""
	if level := sql.IsolationLevel(opts.Isolation); level != sql.LevelDefault {
		mode = " ISOLATION LEVEL " + strings.ToUpper(level.String())
	}
	if opts.ReadOnly {
		mode += " READ ONLY"
	}
	begin := "BEGIN" + mode + "; SET LOCAL statement_timeout = " + pq.QuoteLiteral(c.timeout) + "; SET LOCAL ROLE " + servingRole
	if _, err := c.Conn.ExecContext(ctx, begin, nil); err != nil {
		_ = c.tx.Rollback() // it may have begun; if this fails, lib/pq discards the connection
		return nil, err
	}
	c.inside = true
	return c, nil
}

// Commit implements driver.Tx.
func (c *roleConn) Commit() error {
	c.inside = false
	return c.tx.Commit()
}

// Rollback implements driver.Tx.
func (c *roleConn) Rollback() error {
	c.inside = false
	return c.tx.Rollback()
}

// QueryContext implements driver.QueryerContext. Outside of a transaction the
// query's own commits when its rows are read or closed.
func (c *roleConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
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
	return postgres.EndWith(c, rows), nil
}

// ExecContext implements driver.ExecerContext.
func (c *roleConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
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

// PrepareContext implements driver.ConnPrepareContext. A prepared statement
// could run outside of a transaction.
func (c *roleConn) PrepareContext(context.Context, string) (driver.Stmt, error) {
	return nil, fmt.Errorf("%w: prepared statements have no role", errRefused)
}

var _ postgres.Conn = (*roleConn)(nil)
