package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"reflect"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
)

// The roles as which the program works, whatever its login. Neither owns a
// table nor is exempt from row-level security.
const (
	tenantRole     = "quayside_tenant"     // sees and changes the rows of one organization
	dispatcherRole = "quayside_dispatcher" // sees which organizations have work
)

// scope is the role and organization of a transaction. With its zero value no row is visible.
type scope struct {
	role string
	org  uuid.UUID
}

// scopeKey is the key of the scope in the context of a transaction.
type scopeKey struct{}

// sessionSettings are what a direct connection begins with. Its transactions
// then set only what differs. Every statement has a generic plan that fits all
// arguments (plan_test.go), so prepared ones are planned once.
func sessionSettings(timeout string) string {
	return "SET statement_timeout = " + pq.QuoteLiteral(timeout) +
		"; SET plan_cache_mode = force_generic_plan; SET ROLE " + tenantRole
}

// settings are what a transaction sets. All of it ends with the transaction, so
// a transaction pooler passes on the connection without any of it.
func (w scopedConnector) settings(s scope) string {
	role := s.role
	if role == "" {
		role = tenantRole
	}
	settings := "SET LOCAL quayside.organization = '" + s.org.String() + "'"
	if !w.direct {
		settings += "; SET LOCAL statement_timeout = " + pq.QuoteLiteral(w.timeout)
	}
	if !w.direct || role != tenantRole {
		settings += "; SET LOCAL ROLE " + role
	}
	return settings
}

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
	scoped := &scopedConn{Transactional: postgres.InTransactions(c, w.begin), settings: w.settings}
	if w.direct {
		scoped.single, _ = c.(postgres.Single)
	}
	return scoped, nil
}

// begin returns the statements that begin a transaction of the context's scope. The
// isolation level is the server's.
func (w scopedConnector) begin(ctx context.Context, opts driver.TxOptions) (string, error) {
	if opts.Isolation != driver.IsolationLevel(sql.LevelDefault) {
		return "", fmt.Errorf("%w: an isolation level other than the server's", postgres.ErrRefused)
	}
	s, _ := ctx.Value(scopeKey{}).(scope)
	return "BEGIN; " + w.settings(s), nil
}

type scopedConn struct {
	*postgres.Transactional

	single   postgres.Single // the same connection, if it executes statements so
	settings func(scope) string
}

// errNoScope refuses a statement outside of a transaction whose context names
// no organization.
var errNoScope = fmt.Errorf("%w: a statement that belongs to no organization", postgres.ErrRefused)

var uuidType = reflect.TypeFor[uuid.UUID]()

// CheckNamedValue implements driver.NamedValueChecker. An identifier is sent as a UUID.
func (c *scopedConn) CheckNamedValue(v *driver.NamedValue) error {
	if id := reflect.ValueOf(v.Value); id.Kind() == reflect.Array && id.CanConvert(uuidType) {
		v.Value = id.Convert(uuidType).Interface().(uuid.UUID).String()
		return nil
	}
	return c.Transactional.CheckNamedValue(v)
}

// QueryContext implements driver.QueryerContext. Outside of a transaction the
// query gets one of its own, which needs a scope.
func (c *scopedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, ok := ctx.Value(scopeKey{}).(scope)
	switch {
	case c.Inside():
	case !ok:
		return nil, errNoScope
	case c.single != nil:
		return c.single.QuerySingle(ctx, c.settings(s), query, args)
	}
	return c.Transactional.QueryContext(ctx, query, args)
}

// ExecContext implements driver.ExecerContext, likewise.
func (c *scopedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, ok := ctx.Value(scopeKey{}).(scope)
	switch {
	case c.Inside():
	case !ok:
		return nil, errNoScope
	case c.single != nil:
		return c.single.ExecSingle(ctx, c.settings(s), query, args)
	}
	return c.Transactional.ExecContext(ctx, query, args)
}
