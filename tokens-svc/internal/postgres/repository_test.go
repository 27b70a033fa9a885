package postgres_test

import (
	"net/url"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
)

func TestMain(m *testing.M) {
	m.Run()
	postgrestest.Drop()
}

// serving is the role of the tests' pools, with exactly the granted rights.
const serving = "quayside_test_serving"

// fresh returns the DSN of a database as migrate up with SERVE_LOGIN leaves it.
func fresh(tb testing.TB) string {
	tb.Helper()
	dsn := postgrestest.New(tb, postgres.Migrate)
	db := connect(tb, dsn)
	if _, err := db.ExecContext(tb.Context(), `DO $$ BEGIN CREATE ROLE `+serving+`;
		EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$`); err != nil {
		tb.Fatal(err)
	}
	if err := postgres.Grant(tb.Context(), postgrestest.Direct(dsn), serving); err != nil {
		tb.Fatal(err)
	}
	return dsn
}

// as returns the DSN with the rights of serving. Through a pooler, which forwards no
// such setting, the rights are those of the login.
func as(tb testing.TB, dsn string) string {
	tb.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		tb.Fatal(err)
	}
	if postgrestest.Session().Direct {
		q := u.Query()
		q.Set("role", serving)
		u.RawQuery = q.Encode()
	}
	return u.String()
}

func open(tb testing.TB, dsn string) *postgres.Repository {
	tb.Helper()
	db, err := postgres.Open(as(tb, dsn), postgrestest.Session())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	return postgres.NewRepository(db)
}
