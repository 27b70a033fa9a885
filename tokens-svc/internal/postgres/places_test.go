package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

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
	command, commands := make(chan error, 1), 0
	if postgrestest.Session().Direct { // as a command connects, which has places of its own and no deadline
		commands = 1
		go func() { command <- postgres.NewRepository(db).Change(t.Context(), someOrg, nothing) }()
	}
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
	most := 0
	for ctx.Err() == nil { // a connection whose context has ended waits until Postgres learns of it
		var waiting int
		gives(t, holder.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_sleep(0.01), pg_locks
			JOIN pg_database d ON d.oid = database WHERE NOT granted AND datname = current_database()`).Scan(&waiting), nil)
		if waiting > 0 && most == 0 {
			gives(t, repo.Change(t.Context(), otherOrg, nothing), nil)
		}
		if ctx.Err() == nil {
			most = max(most, waiting)
		}
	}
	if most < commands+1 || most > commands+4 {
		t.Errorf("%d changes wait in Postgres, want %d of commands and at most 4", most, commands)
	}
	shares := 0
	for range changes {
		if err := <-refused; errors.Is(err, limit.ErrShare) {
			shares++
		} else if !errors.Is(err, tokens.ErrUnavailable) { // got its place just before the deadline
			t.Errorf("%v, want %v", err, limit.ErrShare)
		}
	}
	if shares == 0 {
		t.Error("no change is refused for the share of its organization")
	}
	gives(t, holder.Rollback(), nil)
	if commands > 0 {
		gives(t, <-command, nil)
	}

	execute(t, connect(t, dsn), `BEGIN; UPDATE revision SET value = value`)
	ctx, cancel = context.WithTimeout(t.Context(), postgres.RequestTimeout)
	defer cancel()
	if err = repo.Change(ctx, someOrg, func(tx tokens.Tx) error {
		return tx.Revoke(t.Context(), []tokens.TokenID{"tok_000000000000"}, atNoon, "")
	}); !errors.Is(err, tokens.ErrUnavailable) {
		t.Errorf("what all organizations share is locked: %v", err)
	}
}
