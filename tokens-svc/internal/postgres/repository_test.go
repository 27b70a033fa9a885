package postgres_test

import (
	"os"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
)

func TestMain(m *testing.M) {
	code := m.Run()
	postgrestest.Drop()
	os.Exit(code)
}

func open(tb testing.TB, dsn string) *postgres.Repository {
	tb.Helper()
	db, err := postgres.Open(dsn, postgrestest.Session())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	return postgres.NewRepository(db)
}
