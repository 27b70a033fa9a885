package postgres_test

import (
	"database/sql"
	"testing"
	"time"

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
func organization(t testing.TB, repo *postgres.Repository) {
	t.Helper()
	s := tokens.NewService(repo, tokens.Config{})
	if _, err := s.CreateOrganization(t.Context(), tokens.Operator(), someOrg, "Acme Citrus"); err != nil {
		t.Fatal(err)
	}
}

// TestAuditSearchesHaveABound: the newest events of a time are searched, and the time of the newest other one is known.
// An export reads as many at a time, also where none matches.
func TestAuditSearchesHaveABound(t *testing.T) {
	t.Parallel()
	dsn := fresh(t)
	repo := open(t, dsn)
	organization(t, repo)
	const all = tokens.AuditWindow + 10
	newest := atNoon.Add(all * time.Minute) // event n happened n minutes after noon
	if _, err := connect(t, dsn).ExecContext(t.Context(), `
		WITH first AS (
			UPDATE audit_events SET at = $3::timestamptz + interval '1 minute'
		), made AS (
			INSERT INTO audit_events SELECT $1, n, $3::timestamptz + n * interval '1 minute', 'user', 'usr_1', 'anna', NULL,
				'req_1', 'token.updated', 'tok_1', '{}', sha256(''), sha256('') FROM generate_series(2, $2::int) n
		) UPDATE audit_heads SET sequence = $2 WHERE log_id = $1`, someOrg, all, atNoon); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		q          tokens.AuditQuery
		total      int
		unsearched time.Time
	}{
		{tokens.AuditQuery{Text: "updated"}, tokens.AuditWindow, atNoon.Add(10 * time.Minute)},
		{tokens.AuditQuery{Text: "nothing"}, 0, atNoon.Add(10 * time.Minute)},
		{tokens.AuditQuery{Text: "updated", From: newest}, 1, time.Time{}},
		{tokens.AuditQuery{Text: "updated", Before: newest}, tokens.AuditWindow, atNoon.Add(9 * time.Minute)},
		{tokens.AuditQuery{Text: "updated", Before: atNoon.Add(5 * time.Minute)}, 3, time.Time{}},
	} {
		found, err := repo.AuditEvents(t.Context(), someOrg, c.q, tokens.Page{Number: 1, Size: 2})
		gives(t, err, nil)
		equal(t, found.Total, c.total)
		equal(t, found.Older, c.unsearched)
	}
	after := int64(0)
	got, err := repo.AuditEvents(t.Context(), someOrg,
		tokens.AuditQuery{Text: "updated", From: newest, After: &after}, tokens.Page{Size: 10})
	gives(t, err, nil)
	equal(t, len(got.Events), 0)
	equal(t, got.Total, all)
}
