// Package postgres opens pools of connections to Postgres, through sqlx and
// lib/pq, and applies migrations.
//
// Guarantees: every answer of the server has a deadline, also when the server
// vanished without closing the connection; a connection whose protocol is out of
// step is closed and not used again; statements with parameters take one round
// trip, also with settings of their own transaction (Options.Scope), and work through PgBouncer's transaction pooling;
// Unavailable separates outages from faulty statements; times that are read are in UTC; statements of
// traced requests are spans.
package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// MaxConns is the size of a pool.
const MaxConns = 20

const (
	connLifetime = 30 * time.Minute // lets a balancer move connections to a new primary
	connIdle     = 5 * time.Minute
)

// errDSN stands for lib/pq's own error, which may repeat the password.
var errDSN = errors.New("not a Postgres URL or key=value DSN that lib/pq can read")

// Session is how a pool uses the sessions of its server. The zero value works
// with every server and pooler.
type Session struct {
	// Direct means that no pooler is between: what is set in a session stays
	// with its connection, and so do prepared statements.
	Direct bool
	// AnswerTimeout bounds each single answer of the server. 0 means
	// AnswerTimeout, the constant.
	AnswerTimeout time.Duration
}

// OfCommand returns the session for a command, whose answers may take longer: no client waits for them.
func (s Session) OfCommand() Session {
	s.AnswerTimeout = 10 * time.Second
	return s
}

// LikeText escapes what has a meaning in a pattern of LIKE.
var LikeText = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// Options are the settings of a pool. The zero value is usable.
type Options struct {
	Session

	// Observe are called after each exchange: with nil if Postgres can serve,
	// otherwise with the reason. An exchange that its caller cancelled is not
	// reported.
	Observe []func(error)
	// Scope, if not nil, returns the statements, such as SET LOCAL, with which the transactions of a context begin, and
	// whether the context has a scope. Without one, statements outside of transactions are refused with ErrRefused.
	Scope func(context.Context) (settings string, ok bool)
	// Setup are the statements, such as SET ROLE, with which a direct session with scopes begins.
	Setup string
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
	c, err := NewConnector(dsn, o)
	if err != nil {
		return nil, err
	}
	db := sqlx.NewDb(sql.OpenDB(c), "postgres")
	db.SetMaxOpenConns(MaxConns)
	db.SetMaxIdleConns(MaxConns)
	db.SetConnMaxLifetime(connLifetime)
	db.SetConnMaxIdleTime(connIdle)
	return db, nil
}

// NewConnector returns the connector of Open's pools.
func NewConnector(dsn string, o Options) (driver.Connector, error) {
	cfg, err := pq.NewConfig(dsn)
	if err != nil {
		return nil, errDSN
	}
	cfg.BinaryParameters = true
	timeout := cmp.Or(o.AnswerTimeout, AnswerTimeout)
	if _, set := cfg.Runtime["statement_timeout"]; !set {
		cfg.Runtime["statement_timeout"] = strconv.FormatInt(timeout.Milliseconds(), 10)
	}
	direct, err := pq.NewConnectorConfig(cfg)
	if err != nil {
		return nil, errDSN
	}
	direct.Dialer(dialer{timeout: timeout})
	var c driver.Connector = direct
	if o.Direct {
		c = preparer{c}
	}
	if o.Scope != nil {
		scoped := scoper{Connector: c, scope: o.Scope}
		if o.Direct {
			scoped.setup = o.Setup
		}
		c = scoped
	}
	return connector{c, o.Observe}, nil
}
