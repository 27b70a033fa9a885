package main

import (
	"context"
	"database/sql"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestAShutdownWaitsForRefusedSignIns that are being recorded: here while another
// transaction holds the heads of audit logs.
func TestAShutdownWaitsForRefusedSignIns(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.New(t, postgres.Migrate)
	operate(t, dsn, "org", "create", "--name", "Acme", "--id", testOrg)
	operate(t, dsn, "user", "create", "--email", "anna@acme.example", "--organization", testOrg, "--role", "owner")
	db, err := postgres.Open(dsn, postgrestest.Session())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	cfg, err := config.Load([]string{"DATABASE_URL=" + dsn, "QUAYSIDE_DEMO=true"})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	pages, _, upkeep, err := newPages(cfg, postgres.NewPeople(db), db,
		tokens.NewService(postgres.NewRepository(db), tokens.Config{}), log)
	if err != nil {
		t.Fatal(err)
	}

	other, err := sql.Open("postgres", postgrestest.Direct(dsn))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	held, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Rollback() }()
	if _, err := held.ExecContext(t.Context(), `LOCK TABLE audit_heads IN EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	form := url.Values{"email": {"anna@acme.example"}, "password": {"not the password"}}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost:8080/sign-in",
		strings.NewReader(form.Encode()))
	r.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Sec-Fetch-Site": {"same-origin"}}
	res := httptest.NewRecorder()
	pages.ServeHTTP(res, r)
	if res.Code != http.StatusUnprocessableEntity {
		t.Fatalf("a wrong password: %d\n%s", res.Code, res.Body)
	}

	ctx, shutdown := context.WithCancel(t.Context())
	shutdown()
	ended := make(chan struct{})
	go func() { upkeep(ctx); close(ended) }()
	for waiting := 0; waiting == 0; {
		err := other.QueryRowContext(t.Context(),
			`SELECT count(*) FROM pg_stat_activity 
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-ended:
		t.Error("the shutdown did not wait")
	default:
	}
	if err := held.Rollback(); err != nil {
		t.Fatal(err)
	}
	<-ended
	var events int
	if err := other.QueryRowContext(t.Context(),
		`SELECT count(*) FROM audit_events WHERE action = 'user.sign_in_failed'`).Scan(&events); err != nil {
		t.Fatal(err)
	}
	if events != 1 {
		t.Errorf("%d events of the refused sign-in, want 1", events)
	}
}
