package postgres

import (
	"database/sql"
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
// Queries with parameters take one round trip and survive PgBouncer's
// transaction pooling (binary_parameters=yes); beware that a []byte then
// reaches Postgres as bytea, so jsonb takes a string. Postgres itself gives
// up a statement when the client would.
//
// told is told after each exchange whether Postgres can serve: nil, or why not.
func Open(dsn string, told ...func(error)) (*sqlx.DB, error) {
	cfg, err := pq.NewConfig(dsn)
	if err != nil {
		return nil, errDSN
	}
	cfg.BinaryParameters = true
	if cfg.Runtime == nil {
		cfg.Runtime = map[string]string{}
	}
	if _, set := cfg.Runtime["statement_timeout"]; !set {
		cfg.Runtime["statement_timeout"] = strconv.FormatInt(exchange.Milliseconds(), 10)
	}
	opening, err := pq.NewConnectorConfig(cfg)
	if err != nil {
		return nil, errDSN
	}
	opening.Dialer(dialer{patience: exchange})
	db := sqlx.NewDb(sql.OpenDB(connector{opening, told}), "postgres")
	db.SetMaxOpenConns(maxConns)
	db.SetMaxIdleConns(maxConns)
	db.SetConnMaxLifetime(connLifetime)
	db.SetConnMaxIdleTime(connIdle)
	return db, nil
}
