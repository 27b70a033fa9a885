package postgres

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/postgres/faultproxy"
	"github.com/quayside/quayside/shipments-svc/internal/shipments/repotest"
)

// TestGarbledRepliesOfPostgresAreUnavailable: on new connections and on open ones,
// at any point of an exchange; and no bytes of it remain for the next query.
func TestGarbledRepliesOfPostgresAreUnavailable(t *testing.T) {
	t.Parallel()
	proxy, dsn := faultproxy.New(t, pgtestDSN(t))
	db := openAt(t, dsn)
	db.SetMaxOpenConns(2)
	query := func(n int) error {
		var got []int
		err := NewRepository(db).tenant(t.Context(), repotest.Org()).SelectContext(t.Context(), &got,
			`SELECT generate_series($1::int, $1::int + 2000)`, n)
		if err == nil && (len(got) != 2001 || got[0] != n) {
			t.Errorf("asked for 2001 numbers from %d, got %d: %v", n, len(got), got)
		}
		return err
	}
	for round := range 5 {
		// On a busy machine an answer may come too late.
		for err := query(round); err != nil; err = query(round) {
			if !postgres.Unavailable(err) {
				t.Fatal(err)
			}
		}
		proxy.Set(faultproxy.Garbled)
		for n := range 5 {
			if err := query(n); !postgres.Unavailable(err) {
				t.Errorf("%v is not unavailable", err)
			}
			if _, err := db.BeginTxx(t.Context(), nil); !postgres.Unavailable(err) {
				t.Errorf("%v is not unavailable", err)
			}
		}
		proxy.Set(faultproxy.None)
	}
}

func TestReadinessReportsWhetherPostgresServes(t *testing.T) {
	t.Parallel()
	proxy, dsn := faultproxy.New(t, pgtestDSN(t))
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
		var n int
		return NewRepository(db).tenant(ctx, repotest.Org()).GetContext(ctx, &n, query)
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
	proxy.Set(faultproxy.Refused)
	if err := ask(t.Context(), `SELECT 1`); !postgres.Unavailable(err) {
		t.Fatal(err)
	}
	wants("no Postgres", false)
}
