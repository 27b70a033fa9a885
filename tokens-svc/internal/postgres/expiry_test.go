package postgres_test

import (
	"sync"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/session"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/tokens/repotest"
)

// TestExpiredSessionsAreRecordedOnce in each organization of the user, though
// several replicas remove them at the same time.
func TestExpiredSessionsAreRecordedOnce(t *testing.T) {
	t.Parallel()
	s := openSessions(t)
	if _, err := s.Admit(t.Context(), people.Admission{
		Organization: repotest.Other, Role: tokens.RoleMember, Existing: people.TakeOver,
		User:          people.User{ID: s.anna, Email: "anna@acme.example", CreatedAt: s.now},
		Entry:         audit.Entry{At: s.now, Actor: audit.CommandLine, Action: audit.MemberJoined},
		TakeOverEntry: audit.Entry{At: s.now, Actor: audit.CommandLine, Action: audit.UserVerified},
	}); err != nil {
		t.Fatal(err)
	}
	first, second, early, late := session.Row{User: s.anna}, session.Row{User: s.anna}, session.Row{}, session.Row{User: s.anna}
	s.commit(t, &first, "first", "x")
	s.commit(t, &second, "second", "x")
	s.commit(t, &early, "no user", "x")
	s.now = s.now.Add(time.Hour)
	s.commit(t, &late, "late", "x")

	var replicas sync.WaitGroup
	for range 4 {
		replicas.Go(func() {
			if err := s.service.ExpireSessions(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	replicas.Wait()

	var left []string
	if err := s.db.SelectContext(t.Context(), &left, `SELECT token_sum FROM sessions`); err != nil || len(left) != 1 || left[0] != "late" {
		t.Errorf("left: %q, %v", left, err)
	}
	repo := postgres.NewRepository(s.db)
	for _, org := range []tokens.OrgID{repotest.Org, repotest.Other} {
		events, n, err := repo.AuditEvents(t.Context(), org, audit.UserSessionExpired, tokens.Page{Number: 1, Size: 10})
		if err != nil || n != 2 {
			t.Fatalf("%s: %d events, %v", org, n, err)
		}
		recorded := map[string]bool{}
		for _, e := range events {
			recorded[e.Details["session"]] = true
			if e.Actor != audit.Service || e.Target != string(s.anna) || e.Details["email"] != "anna@acme.example" || e.Details["expired_at"] != "2026-11-20T13:00:00Z" {
				t.Errorf("%+v", e)
			}
		}
		if !recorded[first.ID] || !recorded[second.ID] {
			t.Errorf("%s: %v, want %s and %s", org, recorded, first.ID, second.ID)
		}
		if _, err := repo.VerifyAudit(t.Context(), org); err != nil {
			t.Error(err)
		}
	}
}
