package postgres_test

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/gateway/servicekit/postgrestest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	postgrestest.Drop()
	os.Exit(code)
}

// migrations create a table and add a column, for which a lock is needed.
var migrations = fstest.MapFS{
	"migrations/00001_things.sql": {Data: []byte("-- +goose Up\nCREATE TABLE things (id int PRIMARY KEY);\n-- +goose Down\nDROP TABLE things;\n")},
	"migrations/00002_names.sql":  {Data: []byte("-- +goose Up\nALTER TABLE things ADD COLUMN name text;\n-- +goose Down\nALTER TABLE things DROP COLUMN name;\n")},
}

func migrate(ctx context.Context, dsn, direction string, w io.Writer) error {
	return postgres.Migrate(ctx, migrations, dsn, direction, w)
}

func TestMigrations(t *testing.T) {
	t.Parallel()
	postgrestest.Migrations(t, migrations)
}

func TestMigrateRefusesOtherDirectionsAndDSNs(t *testing.T) {
	t.Parallel()
	if err := migrate(t.Context(), "host=127.0.0.1", "sideways", io.Discard); err == nil || !strings.Contains(err.Error(), "want up, down or status") {
		t.Errorf("%v", err)
	}
	if err := migrate(t.Context(), "postgres://u:hunter2@local host/", "up", io.Discard); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v", err)
	}
}

// TestStatementsHaveATimeout: without a server a pool opens and its statements
// are unavailable; with one they have a statement_timeout.
func TestStatementsHaveATimeout(t *testing.T) {
	t.Parallel()
	var observed error
	away, err := postgres.Open("postgres://127.0.0.1:1/none", postgres.Options{Observe: []func(error){func(err error) { observed = err }}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = away.Close() }()
	if err := away.PingContext(t.Context()); !postgres.Unavailable(err) || !postgres.Unavailable(observed) {
		t.Errorf("without a server: %v, observed %v", err, observed)
	}
	db, err := postgres.Open(postgrestest.New(t, migrate), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var timeout string
	if err := db.GetContext(t.Context(), &timeout, `SHOW statement_timeout`); err != nil || timeout != "900ms" {
		t.Errorf("statement_timeout is %q (%v)", timeout, err)
	}
}
