package postgres_test

import (
	"database/sql"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// connect returns a pool that goes around the repository.
func connect(tb testing.TB, dsn string) *sql.DB {
	tb.Helper()
	db, err := sql.Open("postgres", postgrestest.Direct(dsn))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	return db
}

// organization makes someOrg.
func organization(t *testing.T, repo *postgres.Repository) {
	t.Helper()
	s := tokens.NewService(repo, tokens.Config{})
	if _, err := s.CreateOrganization(t.Context(), tokens.Operator(), someOrg, "Acme Citrus"); err != nil {
		t.Fatal(err)
	}
}
