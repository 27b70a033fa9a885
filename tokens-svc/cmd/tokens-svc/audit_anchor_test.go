package main

import (
	"net/http"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestServeIsNotReadyBeforeTheAuditLogsAreAnchored, which is done once.
func TestServeIsNotReadyBeforeTheAuditLogsAreAnchored(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.New(t, postgres.Migrate)
	db, err := postgres.Open(dsn, postgrestest.Session())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	earlier := tokens.NewService(postgres.NewRepository(db, audit.Keys{}), tokens.Config{})
	if _, err := earlier.CreateOrganization(t.Context(), tokens.Operator(), testOrg, "Acme"); err != nil {
		t.Fatal(err)
	}
	s := start(t, "DATABASE_URL="+dsn)
	if status, body := do(t, http.MethodGet, s.inner+"/readyz", "", nil); status != http.StatusServiceUnavailable ||
		body != "audit logs are not anchored: run tokens-svc audit anchor\n" {
		t.Errorf("/readyz: %d %s", status, body)
	}
	if got := operate(t, dsn, "audit", "anchor"); got != testOrg {
		t.Errorf("audit anchor printed %q", got)
	}
	if got := operate(t, dsn, "audit", "anchor"); got != "" {
		t.Errorf("audit anchor, again, printed %q", got)
	}
	if status, body := do(t, http.MethodGet, s.inner+"/readyz", "", nil); status != http.StatusOK {
		t.Errorf("/readyz, anchored: %d %s", status, body)
	}
	operate(t, dsn, "audit", "verify")
	s.finish(t)
}
