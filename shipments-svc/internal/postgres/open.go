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

// Open returns a pool for a DSN in either of libpq's forms. It does not
// connect: a program starts without Postgres and serves once it is there.
//
// Statements run only within transactions, which begin in a scope: see walled.
// With parameters they take one round trip and survive PgBouncer's
// transaction pooling (binary_parameters=yes); beware that a []byte then
// reaches Postgres as bytea, so jsonb takes a string. Postgres itself gives
// up a statement when the client would.
//
// told is told after each exchange whether Postgres can serve: nil, or why not.
func Open(dsn string, told ...func(error)) (*sqlx.DB, error) {
	c, err := connect(dsn, exchange, told...)
	if err != nil {
		return nil, err
	}
	return pool(c), nil
}

// OpenReplica returns a pool for a hot standby, of which nobody waits long for
// an answer.
func OpenReplica(dsn string, told ...func(error)) (*sqlx.DB, error) {
	c, err := connect(dsn, replicaPatience, told...)
	if err != nil {
		return nil, err
	}
	return pool(c), nil
}

func connect(dsn string, patience time.Duration, told ...func(error)) (connector, error) {
	cfg, err := pq.NewConfig(dsn)
	if err != nil {
		return connector{}, errDSN
	}
	cfg.BinaryParameters = true
	timeout, set := cfg.Runtime["statement_timeout"]
	if !set {
		timeout = strconv.FormatInt(patience.Milliseconds(), 10)
	}
	delete(cfg.Runtime, "statement_timeout") // a transaction sets it, because a pooler would not
	opening, err := pq.NewConnectorConfig(cfg)
	if err != nil {
		return connector{}, errDSN
	}
	opening.Dialer(dialer{patience: patience})
	return connector{walled{opening, timeout}, told}, nil
}

func pool(c driver.Connector) *sqlx.DB {
	db := sqlx.NewDb(sql.OpenDB(c), "postgres")
	db.SetMaxOpenConns(maxConns)
	db.SetMaxIdleConns(maxConns)
	db.SetConnMaxLifetime(connLifetime)
	db.SetConnMaxIdleTime(connIdle)
	return db
}
