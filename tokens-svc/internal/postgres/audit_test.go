package postgres_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/tokens/repotest"
)

// connect returns a pool that goes around the repository.
func connect(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("postgres", postgrestest.Direct(dsn))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// TestTheAuditLogIsAppendOnly to everybody who does not first take the trigger
// away.
func TestTheAuditLogIsAppendOnly(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.New(t, postgres.Migrate)
	organization(t, open(t, dsn))
	for _, statement := range []string{
		`UPDATE audit_events SET actor_name = 'nobody'`, `DELETE FROM audit_events`, `TRUNCATE audit_events`,
	} {
		if _, err := connect(t, dsn).ExecContext(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// organization makes repotest.Org.
func organization(t *testing.T, repo *postgres.Repository) {
	t.Helper()
	s := tokens.NewService(repo, tokens.Config{})
	if _, err := s.CreateOrganization(t.Context(), tokens.Operator(), repotest.Org, "Acme Citrus"); err != nil {
		t.Fatal(err)
	}
}
