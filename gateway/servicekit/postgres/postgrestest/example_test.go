package postgrestest_test

import (
	"context"
	"database/sql"
	"embed"
	"io"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
)

// files are the migrations of a service, embedded by //go:embed migrations.
var files embed.FS

// Each test gets a migrated database of its own.
func ExampleNew() {
	_ = func(t *testing.T) {
		dsn := postgrestest.New(t, func(ctx context.Context, dsn, direction string, w io.Writer) error {
			return postgres.Migrate(ctx, files, dsn, direction, w)
		})
		db, err := sql.Open("postgres", dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
	}
}

// Migrations can be reverted and applied again, run at once, and block no writers.
func ExampleMigrations() {
	_ = func(t *testing.T) { postgrestest.Migrations(t, files) }
}
