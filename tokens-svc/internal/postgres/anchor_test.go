package postgres_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/tokens/repotest"
)

func createToken(t *testing.T, repo *postgres.Repository) error {
	t.Helper()
	token, digest := newToken(t, time.Second)
	_, err := repo.CreateToken(t.Context(), repotest.Org, token, digest, nil, fullEntry(audit.TokenCreated, string(token.ID)))
	return err
}

// TestAnEarlierVersionsLogIsAnchored: until then nothing is appended to it and
// it does not verify; afterwards programs without keys cannot write to it.
func TestAnEarlierVersionsLogIsAnchored(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.New(t, postgres.Migrate)
	repo := open(t, dsn)
	db, err := postgres.Open(dsn, postgrestest.Session())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	earlier := postgres.NewRepository(db, audit.Keys{})
	anchored := func(want bool) {
		t.Helper()
		if got, err := repo.AuditAnchored(t.Context()); err != nil || got != want {
			t.Errorf("anchored: %t, %v", got, err)
		}
	}
	anchor := func(want bool) {
		t.Helper()
		got, err := repo.AnchorAudit(t.Context(), repotest.Org, fullEntry(audit.LogAnchored, string(repotest.Org)))
		if err != nil || got != want {
			t.Errorf("anchor: %t, %v", got, err)
		}
	}
	anchored(true)
	organization(t, earlier)
	if err := createToken(t, earlier); err != nil {
		t.Fatal(err)
	}
	anchored(false)
	if err := createToken(t, repo); !errors.Is(err, audit.ErrUnanchored) {
		t.Errorf("appended without an anchor: %v", err)
	}
	_, err = repo.VerifyAudit(t.Context(), repotest.Org)
	if fault, ok := errors.AsType[*audit.Fault](err); !ok || fault.Sequence != 2 || !strings.Contains(err.Error(), "not anchored") {
		t.Errorf("verified without an anchor: %v", err)
	}

	anchor(true)
	anchored(true)
	anchor(false)
	if err := createToken(t, repo); err != nil {
		t.Errorf("anchored: %v", err)
	}
	if err := createToken(t, earlier); err == nil || !strings.Contains(err.Error(), "has no key") {
		t.Errorf("the earlier version wrote behind the anchor: %v", err)
	}
	if head, err := repo.VerifyAudit(t.Context(), repotest.Org); err != nil || head.Sequence != 4 || head.KeyVersion != 1 {
		t.Errorf("%+v, %v", head, err)
	}
	_, err = repo.AnchorAudit(t.Context(), repotest.Other, fullEntry(audit.LogAnchored, string(repotest.Other)))
	if !errors.Is(err, tokens.ErrNotFound) {
		t.Errorf("an organization that does not exist: %v", err)
	}
}
