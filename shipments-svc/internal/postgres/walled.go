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

// The roles as which the program works, whoever it logs in as. Neither owns a
// table nor is exempt from row-level security.
const (
	tenant     = "quayside_tenant"     // sees and changes the rows of one organization
	dispatcher = "quayside_dispatcher" // sees of which organizations something waits to be done
)

// scope is as whom a transaction works. Its zero value sees nothing.
type scope struct {
	role string
	org  uuid.UUID
}

func tenantOf(org shipments.OrgID) scope { return scope{tenant, uuid.UUID(org)} }

type scopeKey struct{}

// within returns a context in which transactions of a walled pool begin with
// the scope.
func (s scope) within(ctx context.Context) context.Context {
	return context.WithValue(ctx, scopeKey{}, s)
}

// sessionSettings are what a direct connection begins with. Its transactions
// then set only what differs. Every statement has a generic plan that fits all
// arguments (plan_test.go), so prepared ones are planned once.
func sessionSettings(timeout string) string {
	return "SET statement_timeout = " + pq.QuoteLiteral(timeout) + "; SET plan_cache_mode = force_generic_plan; SET ROLE " + tenant
}

// begin is what a transaction begins with. As one message without parameters
// it is one round trip; all that is set ends with the transaction, so nothing
// is left on a connection that a transaction pooler hands to somebody else.
func (s scope) begin(readOnly, direct bool, timeout string) string {
	mode, role := "READ WRITE", s.role
	if readOnly {
		mode = "READ ONLY"
	}
	if role == "" {
		role = tenant
	}
	begin := "BEGIN " + mode + "; SET LOCAL quayside.organization = '" + s.org.String() + "'"
	if !direct {
		begin += "; SET LOCAL statement_timeout = " + pq.QuoteLiteral(timeout)
	}
	if !direct || role != tenant {
		begin += "; SET LOCAL ROLE " + role
	}
	return begin
}

// errRefused says that a statement was not sent, because it would have run as
// whoever logged in, or otherwise than is known here. It has the code with which
// Postgres refuses, so the connection remains of use.
var errRefused = &pq.Error{Severity: "ERROR", Code: "42501", Message: "refused before it was sent"}

// walled makes connections on which a statement runs only within a
// transaction, and that only in a scope.
type walled struct {
	driver.Connector

	timeout string // a statement_timeout
	direct  bool   // sessions begin with sessionSettings
}

// Connect implements driver.Connector.
func (w walled) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := w.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &walledConn{Conn: c.(postgres.Conn), tx: c.(driver.Tx), timeout: w.timeout, direct: w.direct}, nil
}

type walledConn struct {
	postgres.Conn

	tx      driver.Tx // the same connection, as which lib/pq's transactions are ended
	timeout string
	direct  bool
	inside  bool // of a transaction
}

// BeginTx implements driver.ConnBeginTx. The isolation level is the server's.
func (c *walledConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if opts.Isolation != driver.IsolationLevel(sql.LevelDefault) {
		return nil, fmt.Errorf("%w: an isolation level other than the server's", errRefused)
	}
	s, _ := ctx.Value(scopeKey{}).(scope)
	if _, err := c.Conn.ExecContext(ctx, s.begin(opts.ReadOnly, c.direct, c.timeout), nil); err != nil {
		_ = c.Rollback() // it may have begun; where this fails, lib/pq gives the connection up
		return nil, err
	}
	c.inside = true
	return c, nil
}

// Commit implements driver.Tx.
func (c *walledConn) Commit() error {
	c.inside = false
	return c.tx.Commit()
}

// Rollback implements driver.Tx.
func (c *walledConn) Rollback() error {
	c.inside = false
	return c.tx.Rollback()
}

// QueryContext implements driver.QueryerContext.
func (c *walledConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if !c.inside {
		return nil, fmt.Errorf("%w: a statement outside of a transaction belongs to no organization", errRefused)
	}
	return c.Conn.QueryContext(ctx, query, args)
}

// ExecContext implements driver.ExecerContext.
func (c *walledConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if !c.inside {
		return nil, fmt.Errorf("%w: a statement outside of a transaction belongs to no organization", errRefused)
	}
	return c.Conn.ExecContext(ctx, query, args)
}

// PrepareContext implements driver.ConnPrepareContext. What is prepared could be
// executed outside of a transaction.
func (c *walledConn) PrepareContext(context.Context, string) (driver.Stmt, error) {
	return nil, fmt.Errorf("%w: a statement to prepare", errRefused)
}

var _ postgres.Conn = (*walledConn)(nil)
