// Package postgres opens pools of connections to Postgres, through sqlx and
// lib/pq, and applies migrations.
//
// Guarantees: every answer of the server has a deadline, also when the server
// vanished without closing the connection; a connection whose protocol is out of
// step is closed and not used again; statements with parameters take one round
// trip, also with settings of their own transaction (Single), and work through PgBouncer's transaction pooling;
// Unavailable separates outages from faulty statements; times that are read are in UTC; statements of
// traced requests are spans.
package postgres

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"strconv"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

const (
	maxConns     = 20
	connLifetime = 30 * time.Minute // lets a balancer move connections to a new primary
	connIdle     = 5 * time.Minute
)

// errDSN stands for lib/pq's own error, which may repeat the password.
var errDSN = errors.New("not a Postgres URL or key=value DSN that lib/pq can read")

// Options are the settings of a pool. The zero value is usable.
type Options struct {
	// AnswerTimeout bounds each single answer of the server. 0 means
	// AnswerTimeout, the constant.
	AnswerTimeout time.Duration
	// Observe are called after each exchange: with nil if Postgres can serve,
	// otherwise with the reason. An exchange that its caller cancelled is not
	// reported.
	Observe []func(error)
	// Prepare keeps statements with parameters prepared on their connections, so
	// that Postgres does not parse and plan them again. No pooler may be between.
	Prepare bool
	// Wrap, if not nil, wraps the connector of lib/pq, whose connections
	// implement Conn and driver.Tx, and becomes responsible for applying
	// statementTimeout, in the syntax of the setting statement_timeout, to each
	// transaction. Without it the setting belongs to the connection.
	Wrap func(c driver.Connector, statementTimeout string) driver.Connector
}

// Open returns a pool for a DSN in either of libpq's forms. It does not
// connect: a program starts without Postgres and serves once it is there. Of
// several hosts, which lib/pq tries in order, it uses the first one that has the
// DSN's target_session_attrs.
//
// Statements with parameters are sent with binary_parameters=yes: a []byte
// reaches Postgres as bytea, so jsonb takes a string. A statement_timeout in
// the DSN replaces that of the options.
func Open(dsn string, o Options) (*sqlx.DB, error) {
	cfg, err := pq.NewConfig(dsn)
	if err != nil {
		return nil, errDSN
	}
	if o.AnswerTimeout == 0 {
		o.AnswerTimeout = AnswerTimeout
	}
	if cfg.Runtime == nil {
		cfg.Runtime = map[string]string{}
	}
	cfg.BinaryParameters = true
	timeout, set := cfg.Runtime["statement_timeout"]
	if !set {
		timeout = strconv.FormatInt(o.AnswerTimeout.Milliseconds(), 10)
	}
	cfg.Runtime["statement_timeout"] = timeout
	if o.Wrap != nil {
		delete(cfg.Runtime, "statement_timeout")
	}
	direct, err := pq.NewConnectorConfig(cfg)
	if err != nil {
		return nil, errDSN
	}
	direct.Dialer(dialer{timeout: o.AnswerTimeout})
	var c driver.Connector = direct
	if o.Prepare {
		c = preparer{c}
	}
	if o.Wrap != nil {
		c = o.Wrap(c, timeout)
	}
	db := sqlx.NewDb(sql.OpenDB(connector{c, o.Observe}), "postgres")
	db.SetMaxOpenConns(maxConns)
	db.SetMaxIdleConns(maxConns)
	db.SetConnMaxLifetime(connLifetime)
	db.SetConnMaxIdleTime(connIdle)
	return db, nil
}
