package postgres

import (
	"context"
	"embed"
	"io"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Budget is the time for all database work of one request.
const Budget = postgres.Budget

// Migrate changes the schema of the database at dsn, which leads to Postgres
// directly: "up", "down" or "status". It writes its progress to w.
func Migrate(ctx context.Context, dsn, direction string, w io.Writer) error {
	return postgres.Migrate(ctx, migrations, dsn, direction, w)
}

// Open returns a pool for a DSN, without connecting. Every statement runs as
// servingRole. observe are called after each exchange: with nil if Postgres can
// serve, otherwise with the reason.
func Open(dsn string, session postgres.Session, observe ...func(error)) (*sqlx.DB, error) {
	o := postgres.Options{Prepare: session.Prepare, Observe: observe, Wrap: asServingRole}
	if session.Direct {
		o.Wrap = startedAsServingRole
	}
	return postgres.Open(dsn, o)
}
