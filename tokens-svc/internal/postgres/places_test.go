package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/limit"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestAnOrganizationWaitsWithoutConnections: of many changes and first sign-ins, a few wait inside of Postgres, not
// long, and none of another organization waits for them.
func TestAnOrganizationWaitsWithoutConnections(t *testing.T) {
	t.Parallel()
	dsn := fresh(t)
	db, err := postgres.Open(as(t, dsn), postgrestest.Session())
	gives(t, err, nil)
	t.Cleanup(func() { _ = db.Close() })
	repo := postgres.NewRepository(db)
	for _, org := range []tokens.OrgID{someOrg, otherOrg} {
		o := tokens.Organization{ID: org, Name: "Acme", CreatedAt: atNoon}
		gives(t, repo.CreateOrganization(t.Context(), o, fullEntry(audit.OrganizationCreated, string(org))), nil)
	}
	holder, err := connect(t, dsn).BeginTx(t.Context(), nil)
	gives(t, err, nil)
	_, err = holder.ExecContext(t.Context(), `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, someOrg)
	gives(t, err, nil)
	const changes = 60
	refused, nothing := make(chan error, changes), func(tokens.Tx) error { return nil }
	ctx, cancel := context.WithTimeout(t.Context(), postgres.RequestTimeout)
	defer cancel()
	for n := range changes / 2 {
		go func() { refused <- repo.Change(ctx, someOrg, nothing) }()
		go func() {
			subject := fmt.Sprint(n)
			_, _, err := repo.Link(ctx, newUser(subject+"@acme.example"), people.Identity{Subject: subject}, audit.Entry{},
				people.Admission{Organization: someOrg}, false)
			refused <- err
		}()
	}
	for began := time.Now(); db.Stats().InUse < 4; time.Sleep(time.Millisecond) {
		if time.Since(began) > 10*time.Second {
			t.Fatal("no change waits in Postgres")
		}
	}
	gives(t, repo.Change(t.Context(), otherOrg, nothing), nil)
	for range changes {
		if err := <-refused; !errors.Is(err, limit.ErrShare) {
			t.Errorf("%v, want %v", err, limit.ErrShare)
		}
		if n := db.Stats().InUse; n > 8 { // those that end, and those that follow them
			t.Errorf("%d connections are in use", n)
		}
	}
	gives(t, holder.Rollback(), nil)
	gives(t, repo.Change(t.Context(), someOrg, nothing), nil)

	holder, err = connect(t, dsn).BeginTx(t.Context(), nil)
	gives(t, err, nil)
	_, err = holder.ExecContext(t.Context(), `UPDATE revision SET value = value`)
	gives(t, err, nil)
	if err = repo.Change(t.Context(), someOrg, func(tx tokens.Tx) error {
		return tx.Revoke(t.Context(), []tokens.TokenID{"tok_000000000000"}, atNoon, "")
	}); !errors.Is(err, tokens.ErrUnavailable) {
		t.Errorf("what all organizations share is locked: %v", err)
	}
}
