package postgres

import (
	"context"
	"embed"
	"io"
	"regexp"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
)

//go:embed migrations/*.sql
var migrations embed.FS

//go:embed grants.sql
var grants string

// RequestTimeout is the time for all database work of one request.
const RequestTimeout = postgres.RequestTimeout

// Migrate changes the schema of the database at dsn, which leads to Postgres
// directly: "up", "down" or "status". It writes its progress to w.
func Migrate(ctx context.Context, dsn, direction string, w io.Writer) error {
	return postgres.Migrate(ctx, migrations, dsn, direction, w)
}

// Grant gives a login the rights that all commands but migrate need, and makes
// the database its own. The DSN is that of Migrate.
func Grant(ctx context.Context, dsn, login string) error {
	return postgres.Grant(ctx, dsn, login, grants)
}

// Open returns a pool for a DSN, without connecting. observe are called after each
// exchange: with nil if Postgres can serve, otherwise with the reason.
func Open(dsn string, session postgres.Session, observe ...func(error)) (*sqlx.DB, error) {
	db, err := postgres.Open(dsn, postgres.Options{
		AnswerTimeout: session.AnswerTimeout, Prepare: session.Direct, Observe: observe,
	})
	if err != nil {
		return nil, err
	}
	return Mapped(db), nil
}

var words = regexp.MustCompile(`([a-z])([A-Z])|([A-Z])([A-Z][a-z])`)

// Mapped makes a pool read rows into the types of the domain, and returns it: a
// column is called as its field, in snake case such as owner_id for OwnerID, and that
// of a struct in a struct "organization.name".
func Mapped(db *sqlx.DB) *sqlx.DB {
	db.MapperFunc(func(field string) string { return strings.ToLower(words.ReplaceAllString(field, "${1}${3}_${2}${4}")) })
	return db
}
