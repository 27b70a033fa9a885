package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// The roles as which the program works, whatever its login. Neither owns a
// table nor is exempt from row-level security.
const (
	tenant     = "quayside_tenant"     // sees and changes the rows of one organization
	dispatcher = "quayside_dispatcher" // sees which organizations have work
)

// scope is as whom a transaction works. Its zero value sees nothing.
type scope struct {
	role string
	org  uuid.UUID
}

func tenantOf(org shipments.OrgID) scope { return scope{tenant, uuid.UUID(org)} }

// transaction is what a transaction begins with.
type transaction struct {
	scope

	readOnly bool
}

type transactionKey struct{}

// within returns a context for a transaction of the scope.
func (s scope) within(ctx context.Context, readOnly bool) context.Context {
	return context.WithValue(ctx, transactionKey{}, transaction{s, readOnly})
}

// sessionSettings are what a direct connection begins with. Its transactions
// then set only what differs. Every statement has a generic plan that fits all
// arguments (plan_test.go), so prepared ones are planned once.
func sessionSettings(timeout string) string {
	return "SET statement_timeout = " + pq.QuoteLiteral(timeout) + "; SET plan_cache_mode = force_generic_plan; SET ROLE " + tenant
}

// settings are what a transaction sets. All of it ends with the transaction, so
// a transaction pooler passes on the connection without any of it.
func (t transaction) settings(direct bool, timeout string) string {
	role := t.role
	if role == "" {
		role = tenant
	}
	settings := "SET LOCAL quayside.organization = '" + t.org.String() + "'"
	if t.readOnly {
		settings = "SET TRANSACTION READ ONLY; " + settings
	}
	if !direct {
		settings += "; SET LOCAL statement_timeout = " + pq.QuoteLiteral(timeout)
	}
	if !direct || role != tenant {
		settings += "; SET LOCAL ROLE " + role
	}
	return settings
}

// errRefused says that a statement was not sent, because it would have run as the
// login's role, or in another way than this package checks. It has the code with which
// Postgres refuses, so the connection remains of use.
var errRefused = &pq.Error{Severity: "ERROR", Code: "42501", Message: "refused before it was sent"}

// scopedConnector makes connections on which each statement runs within a transaction of
// a scope.
type scopedConnector struct {
	driver.Connector

	timeout string // a statement_timeout
	direct  bool   // sessions begin with sessionSettings
}

// Connect implements driver.Connector.
func (w scopedConnector) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := w.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	scoped := &scopedConn{Conn: c.(postgres.Conn), tx: c.(driver.Tx), timeout: w.timeout, direct: w.direct}
	if w.direct {
		scoped.single, _ = c.(postgres.Single)
	}
	return scoped, nil
}

type scopedConn struct {
	postgres.Conn

	tx      driver.Tx       // the same connection, as which lib/pq's transactions are ended
	single  postgres.Single // the same, if it executes statements so
	timeout string
	direct  bool
	inside  bool // of a transaction
}

// BeginTx implements driver.ConnBeginTx, in one round trip. The isolation level
// is the server's.
func (c *scopedConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if opts.Isolation != driver.IsolationLevel(sql.LevelDefault) {
		return nil, fmt.Errorf("%w: an isolation level other than the server's", errRefused)
	}
	t, _ := ctx.Value(transactionKey{}).(transaction)
	if _, err := c.Conn.ExecContext(ctx, "BEGIN; "+t.settings(c.direct, c.timeout), nil); err != nil {
		_ = c.Rollback() // it may have begun; where this fails, lib/pq gives the connection up
		return nil, err
	}
	c.inside = true
	return c, nil
}

// Commit implements driver.Tx.
func (c *scopedConn) Commit() error {
	c.inside = false
	return c.tx.Commit()
}

// Rollback implements driver.Tx.
func (c *scopedConn) Rollback() error {
	c.inside = false
	return c.tx.Rollback()
}

// errNoScope refuses a statement outside of a transaction whose context names
// no organization.
var errNoScope = fmt.Errorf("%w: a statement that belongs to no organization", errRefused)

// QueryContext implements driver.QueryerContext. Outside of a transaction the
// query gets one of its own.
func (c *scopedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.inside {
		return c.Conn.QueryContext(ctx, query, args)
	}
	t, ok := ctx.Value(transactionKey{}).(transaction)
	switch {
	case !ok:
		return nil, errNoScope
	case c.single != nil:
		return c.single.QuerySingle(ctx, t.settings(c.direct, c.timeout), query, args)
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

// ExecContext implements driver.ExecerContext, likewise.
func (c *scopedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if c.inside {
		return c.Conn.ExecContext(ctx, query, args)
	}
	t, ok := ctx.Value(transactionKey{}).(transaction)
	switch {
	case !ok:
		return nil, errNoScope
	case c.single != nil:
		return c.single.ExecSingle(ctx, t.settings(c.direct, c.timeout), query, args)
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

// PrepareContext implements driver.ConnPrepareContext. What is prepared could be
// executed outside of a transaction.
func (c *scopedConn) PrepareContext(context.Context, string) (driver.Stmt, error) {
	return nil, fmt.Errorf("%w: a statement to prepare", errRefused)
}

var _ postgres.Conn = (*scopedConn)(nil)
