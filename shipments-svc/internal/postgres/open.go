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

// RequestTimeout is the time for all database work of one request.
const RequestTimeout = postgres.RequestTimeout

// Migrate changes the schema of the database at dsn, which leads to Postgres
// directly: "up", "down", "down --yes" or "status". It writes its progress to w.
func Migrate(ctx context.Context, dsn, direction string, w io.Writer) error {
	return postgres.Migrate(ctx, migrations, dsn, direction, w)
}

// Grant lets a login act as the roles, and makes the database its own. The DSN is
// that of Migrate.
func Grant(ctx context.Context, dsn, login string) error {
	return postgres.Grant(ctx, dsn, login, `GRANT `+tenantRole+`, `+dispatcherRole+` TO {login}`)
}

// Open returns a pool for a DSN, without connecting. Statements run only within
// transactions, which begin in a scope. observe are called after each
// exchange: with nil if Postgres can serve, otherwise with the reason.
func Open(dsn string, session postgres.Session, observe ...func(error)) (*sqlx.DB, error) {
	return postgres.Open(dsn, options(session, observe...))
}

func options(session postgres.Session, observe ...func(error)) postgres.Options {
	return postgres.Options{
		Session: session, Observe: observe, Setup: sessionSettings,
		Scope: func(ctx context.Context) (string, bool) {
			s, ok := ctx.Value(scopeKey{}).(scope)
			return s.settings(session.Direct), ok
		},
	}
}
