package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/lib/pq"

	"github.com/quayside/quayside/shipments-svc/internal/postgres/faultproxy"
	"github.com/quayside/quayside/shipments-svc/internal/shipments/repotest"
)

// TestNonsenseFromPostgresIsUnavailable: on new connections and on open ones,
// at any point of an exchange; and none of it is left for whoever asks next.
func TestNonsenseFromPostgresIsUnavailable(t *testing.T) {
	t.Parallel()
	proxy, dsn := faultproxy.New(t, pgtestDSN(t))
	db := openAt(t, dsn)
	db.SetMaxOpenConns(2)
	question := func(n int) error {
		var got []int
		err := NewRepository(db).reads(t.Context(), repotest.Org()).SelectContext(t.Context(), &got, `SELECT generate_series($1::int, $1::int + 2000)`, n)
		if err == nil && (len(got) != 2001 || got[0] != n) {
			t.Errorf("asked for 2001 numbers from %d, got %d: %v", n, len(got), got)
		}
		return err
	}
	for round := range 5 {
		if err := question(round); err != nil {
			t.Fatal(err)
		}
		proxy.Set(faultproxy.Garbled)
		for n := range 5 {
			if err := question(n); !Unavailable(err) {
				t.Errorf("%v is not unavailable", err)
			}
			if _, err := db.BeginTxx(t.Context(), nil); !Unavailable(err) {
				t.Errorf("%v is not unavailable", err)
			}
		}
		proxy.Set(faultproxy.None)
	}
}

// TestAConnectionThatWasNotUnderstoodIsGivenUp, whether lib/pq says so, keeps
// it or panics; and its place in the pool is free again.
func TestAConnectionThatWasNotUnderstoodIsGivenUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fail        func() error
		unavailable bool
		opened      int // connections for two questions
	}{
		"an error without a code": {func() error { return errors.New("pq: unexpected message") }, true, 2},
		"a panic":                 {func() error { panic(errors.New("pq: invalid message format")) }, true, 2},
		"a runtime error":         {func() error { var none []int; return errors.New(string(rune(none[0]))) }, true, 2},
		"Postgres's own error":    {func() error { return &pq.Error{Code: "42P01"} }, false, 1},
		"the deadline":            {func() error { return context.DeadlineExceeded }, true, 1},
		"the end of the client":   {func() error { return context.Canceled }, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fake{fail: c.fail}
			db := sql.OpenDB(connector{f, nil})
			defer func() { _ = db.Close() }()
			db.SetMaxOpenConns(1)
			for range 2 {
				if _, err := db.ExecContext(t.Context(), "x"); err == nil || Unavailable(err) != c.unavailable {
					t.Errorf("%v, unavailable should be %t", err, c.unavailable)
				}
			}
			if f.opened != c.opened {
				t.Errorf("%d connections were opened, want %d", f.opened, c.opened)
			}
		})
	}
}

// TestWhoeverWantsToKnowIsToldWhetherPostgresCanServe.
func TestWhoeverWantsToKnowIsToldWhetherPostgresCanServe(t *testing.T) {
	t.Parallel()
	proxy, dsn := faultproxy.New(t, pgtestDSN(t))
	var mu sync.Mutex
	var told []bool
	db, err := Open(dsn, func(err error) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, err == nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	wants := func(what string, yes bool) {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		if len(told) == 0 || slices.Contains(told, !yes) {
			t.Errorf("%s: it can serve: %t, want only %t", what, told, yes)
		}
		told = nil
	}
	ask := func(ctx context.Context, query string) error {
		var n int
		return NewRepository(db).writes(ctx, repotest.Org()).GetContext(ctx, &n, query)
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
	if err := ask(t.Context(), `SELECT 1`); !Unavailable(err) {
		t.Fatal(err)
	}
	wants("no Postgres", false)
}

// fake opens connections on which statements fail.
type fake struct {
	driver.Connector
	pqConn

	fail   func() error
	opened int
}

func (f *fake) Connect(context.Context) (driver.Conn, error) {
	f.opened++
	return f, nil
}

func (f *fake) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	return nil, f.fail()
}
func (f *fake) IsValid() bool                            { return true }
func (f *fake) ResetSession(context.Context) error       { return nil }
func (f *fake) CheckNamedValue(*driver.NamedValue) error { return nil }
func (f *fake) Close() error                             { return nil }
