package postgres

import (
	"context"
	"os"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/shipments-svc/internal/postgres/pgtest"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
	"github.com/quayside/quayside/shipments-svc/internal/shipments/repotest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	pgtest.Drop()
	os.Exit(code)
}

// pgtestDSN returns the DSN of a fresh database.
func pgtestDSN(tb testing.TB) string {
	tb.Helper()
	return pgtest.New(tb, Migrate)
}

// openTest returns a pool on a fresh database.
func openTest(tb testing.TB) *sqlx.DB {
	tb.Helper()
	return openAt(tb, pgtestDSN(tb))
}

func openAt(tb testing.TB, dsn string) *sqlx.DB {
	tb.Helper()
	db, err := Open(dsn)
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

func TestRepositoryConforms(t *testing.T) {
	t.Parallel()
	repotest.Run(t, func(tb testing.TB) shipments.Repository { return NewRepository(openTest(tb)) })
}

func TestJobsConform(t *testing.T) {
	t.Parallel()
	repotest.RunJobs(t, func(tb testing.TB) repotest.Queue { return NewRepository(openTest(tb)) })
}
