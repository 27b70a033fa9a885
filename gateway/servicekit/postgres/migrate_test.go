package postgres_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"io"
	"maps"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
)

func TestMain(m *testing.M) {
	m.Run()
	postgrestest.Drop()
}

// migrations create a table and add a column, for which a lock is needed.
var migrations = fstest.MapFS{
	"migrations/00001_things.sql": {Data: []byte("-- +goose Up\nCREATE TABLE things (id int PRIMARY " +
		"KEY);\n-- +goose Down\nDROP TABLE things;\n")},
	"migrations/00002_names.sql": {Data: []byte("-- +goose Up\nALTER TABLE things ADD COLUMN name text;\n-- " +
		"+goose Down\nALTER TABLE things DROP COLUMN name;\n")},
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
	if err := migrate(t.Context(), "host=127.0.0.1", "sideways", io.Discard); err == nil ||
		!strings.Contains(err.Error(), "want up, down, down --yes or status") {
		t.Errorf("%v", err)
	}
	if err := migrate(t.Context(), "postgres://u:hunter2@local host/", "up", io.Discard); err == nil ||
		strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v", err)
	}
}

// TestStatementsHaveATimeout: without a server a pool opens and its statements
// are unavailable; with one they have a statement_timeout.
func TestStatementsHaveATimeout(t *testing.T) {
	t.Parallel()
	var observed error
	away, err := postgres.Open("postgres://127.0.0.1:1/none",
		postgres.Options{Observe: []func(error){func(err error) { observed = err }}})
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

// TestAFailedMigrationChangesNothing: neither its earlier statements nor the
// version stay, the program of the version before works, and the corrected
// migration applies. Earlier migrations can be reverted.
func TestAFailedMigrationChangesNothing(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.New(t, migrate)
	third := func(last string) fstest.MapFS {
		files := maps.Clone(migrations)
		files["migrations/00003_places.sql"] = &fstest.MapFile{Data: []byte(
			"-- +goose Up\nCREATE TABLE places (id int);\nUPDATE things SET name = 'moved';\n" + last +
				"\n-- +goose Down\nDROP TABLE places;\n")}
		return files
	}
	db, err := postgres.Open(dsn, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	state := func() (state struct {
		Version int64   `db:"version"`
		Places  *string `db:"places"`
		Name    string  `db:"name"`
	},
	) {
		t.Helper()
		if err := db.GetContext(t.Context(), &state, `SELECT (SELECT max(version_id) FROM goose_db_version) AS version,
			to_regclass('places')::text AS places, (SELECT name FROM things) AS name`); err != nil {
			t.Fatal(err)
		}
		return state
	}
	if _, err := db.ExecContext(t.Context(), `INSERT INTO things VALUES (1, 'before')`); err != nil {
		t.Fatal(err)
	}
	err = postgres.Migrate(t.Context(), third("SELECT 1 / 0;"), dsn, "up", io.Discard)
	if err == nil || !strings.Contains(err.Error(), "version:3") {
		t.Errorf("the error does not name the migration: %v", err)
	}
	if got := state(); got.Version != 2 || got.Places != nil || got.Name != "before" {
		t.Errorf("after the failure: %+v", got)
	}
	corrected := third("SELECT 1;")
	if err := postgres.Migrate(t.Context(), corrected, dsn, "up", io.Discard); err != nil {
		t.Fatal(err)
	}
	if got := state(); got.Version != 3 || got.Places == nil || got.Name != "moved" {
		t.Errorf("after the correction: %+v", got)
	}
	if err := postgres.Migrate(t.Context(), corrected, dsn, "down", io.Discard); err != nil {
		t.Fatal(err)
	}
	if got := state(); got.Version != 2 || got.Places != nil {
		t.Errorf("taken back: %+v", got)
	}
}

// waitForLock begins a migration and returns once it waits for a lock. done receives its result.
func waitForLock(t *testing.T, migrate func(lines io.Writer) error) (done chan error) {
	t.Helper()
	output, lines := io.Pipe()
	done = make(chan error, 1)
	go func() { done <- migrate(lines) }()
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "waiting for a lock") {
		t.Errorf("%q, %v", line, err)
	}
	go func() { _, _ = io.Copy(io.Discard, output) }()
	return done
}

// TestAMigrationThatWaitsForALockBlocksNoWriters: it gives up and is tried again.
func TestAMigrationThatWaitsForALockBlocksNoWriters(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.New(t, migrate)
	db, err := postgres.Open(dsn, postgres.Options{Session: postgres.Session{AnswerTimeout: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	long, err := db.BeginTxx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := long.ExecContext(t.Context(), `INSERT INTO things VALUES (1)`); err != nil {
		t.Fatal(err)
	}
	done := waitForLock(t, func(lines io.Writer) error { return migrate(t.Context(), dsn, "down", lines) })
	if _, err := db.ExecContext(t.Context(), `INSERT INTO things VALUES (2)`); err != nil {
		t.Errorf("a writer, while the migration waits: %v", err)
	}
	if err := long.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestAnIndexThatWasInterruptedIsBuiltAgain: while a transaction is older than it, an index is not built in time.
func TestAnIndexThatWasInterruptedIsBuiltAgain(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.New(t, migrate)
	db, err := postgres.Open(dsn, postgres.Options{Session: postgres.Session{AnswerTimeout: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	long, err := db.BeginTxx(t.Context(), &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := long.ExecContext(t.Context(), `SELECT FROM goose_db_version`); err != nil {
		t.Fatal(err)
	}
	files := maps.Clone(migrations)
	files["migrations/00003_index.sql"] = &fstest.MapFile{Data: []byte("-- +goose NO TRANSACTION\n\n-- +goose Up\n" +
		"CREATE INDEX CONCURRENTLY IF NOT EXISTS things_name ON things (name);\n-- +goose Down\nDROP INDEX things_name;\n")}
	done := waitForLock(t, func(lines io.Writer) error {
		return postgres.Migrate(t.Context(), files, dsn, "up", lines)
	})
	if err := errors.Join(long.Commit(), <-done); err != nil {
		t.Fatal(err)
	}
	var valid bool
	if err := db.GetContext(t.Context(), &valid, `SELECT indisvalid FROM pg_index
		WHERE indexrelid = 'things_name'::regclass`); err != nil || !valid {
		t.Errorf("the index is valid: %v, %v", valid, err)
	}
}
