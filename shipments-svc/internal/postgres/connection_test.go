package postgres

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/postgres/proxytest"
)

func TestReadinessReportsWhetherPostgresServes(t *testing.T) {
	t.Parallel()
	proxy, dsn := proxytest.New(t, pgtestDSN(t))
	var mu sync.Mutex
	var observed []bool
	db, err := Open(dsn, postgrestest.Session(), func(err error) {
		mu.Lock()
		defer mu.Unlock()
		observed = append(observed, err == nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	wants := func(what string, yes bool) {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		if len(observed) == 0 || slices.Contains(observed, !yes) {
			t.Errorf("%s: it can serve: %t, want only %t", what, observed, yes)
		}
		observed = nil
	}
	ask := func(ctx context.Context, query string) error {
		_, err := getRow[int](ctx, NewRepository(db).tenant(ctx, NewOrg()), statement{"ask", query})
		return err
	}
	if err := ask(t.Context(), `SELECT 1`); err != nil {
		t.Fatal(err)
	}
	wants("an answer", true)
	if err := ask(t.Context(), `SELECT nothing`); err == nil {
		t.Fatal("there is a column nothing")
	}
	wants("a wrong statement", true)
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := ask(gone, `SELECT 1`); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	proxy.Stop()
	if err := ask(t.Context(), `SELECT 1`); !postgres.Unavailable(err) {
		t.Fatal(err)
	}
	wants("no Postgres", false)
}
