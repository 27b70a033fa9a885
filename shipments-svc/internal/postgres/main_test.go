package postgres

import (
	"context"
	"os"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	postgrestest.Drop()
	os.Exit(code)
}

// pgtestDSN returns the DSN of a fresh database.
func pgtestDSN(tb testing.TB) string {
	tb.Helper()
	return postgrestest.New(tb, Migrate)
}

// newTest returns a patient repository on a fresh database, and a pool of its operator,
// which row-level security does not bind.
func newTest(tb testing.TB) (*Repository, *sqlx.DB) {
	tb.Helper()
	dsn := pgtestDSN(tb)
	return NewRepository(openAt(tb, dsn)), operator(tb, dsn)
}

// operator returns a pool with the role of the DSN.
func operator(tb testing.TB, dsn string) *sqlx.DB {
	tb.Helper()
	db, err := sqlx.Open("postgres", postgrestest.Direct(dsn))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	return db
}

// openAt returns a pool of the program.
func openAt(tb testing.TB, dsn string) *sqlx.DB {
	tb.Helper()
	db, err := Open(dsn, postgrestest.Session())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	return db
}

func exec(tb testing.TB, db *sqlx.DB, query string, args ...any) {
	tb.Helper()
	if _, err := db.ExecContext(context.WithoutCancel(tb.Context()), query, args...); err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
}
