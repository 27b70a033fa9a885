package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"

	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
)

// servingRole is the role of every statement of a pool, whatever the login. It
// can append to audit_events and can neither change, remove nor truncate its
// rows, and it owns no table. Migrate works as the login.
const servingRole = "quayside_tokens"

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
	return postgres.InTransactions(c, r.begin), nil
}

// begin returns the statements that begin a transaction.
func (r roleConnector) begin(_ context.Context, opts driver.TxOptions) (string, error) {
	mode := ""
	if level := sql.IsolationLevel(opts.Isolation); level != sql.LevelDefault {
		mode = " ISOLATION LEVEL " + strings.ToUpper(level.String())
	}
	if opts.ReadOnly {
		mode += " READ ONLY"
	}
	return "BEGIN" + mode + "; SET LOCAL statement_timeout = " + pq.QuoteLiteral(r.timeout) + "; SET LOCAL ROLE " + servingRole, nil
}
