package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"
	"time"

	"github.com/lib/pq"
)

// TestBrokenConnectionsAreReplaced, whether lib/pq returns an error, keeps the
// connection or panics; and their places in the pool are free again.
func TestBrokenConnectionsAreReplaced(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fail        func() error
		unavailable bool
		opened      int // connections for two statements
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

// fake opens connections on which statements fail.
type fake struct {
	driver.Connector
	Conn

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

// TestACommitAfterItsDeadlineIsUncertain: Postgres may have committed without its
// synchronous standby.
func TestACommitAfterItsDeadlineIsUncertain(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c := &connection{Conn: &fake{fail: func() error { return nil }}}
	ends := map[string]func() error{
		"a commit":                                  transaction{committed{}, exchange{c, ctx, nil}}.Commit,
		"a statement that is a transaction":         func() error { _, err := c.ExecContext(ctx, "INSERT", nil); return err },
		"rows of a statement that is a transaction": (&rows{committedRows{}, exchange{c, ctx, nil}}).Close,
	}
	for name, end := range ends {
		if err := end(); err != nil {
			t.Errorf("%s within its time: %v", name, err)
		}
	}
	cancel()
	for name, end := range ends {
		if err := end(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s afterwards: %v", name, err)
		}
	}
}

// committed is a transaction that Postgres reports as committed.
type committed struct{ driver.Tx }

func (committed) Commit() error { return nil }

// committedRows are those of a statement that Postgres reports as committed.
type committedRows struct{ driver.Rows }

func (committedRows) Close() error { return nil }

// TestTimesAreReadInUTC, so that no service depends on the time zone of a server or
// of a pooler's session.
func TestTimesAreReadInUTC(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.FixedZone("", -5*3600))
	row := []driver.Value{at, "text", nil, int64(1)}
	if err := (&rows{readRows{}, exchange{&connection{}, t.Context(), nil}}).Next(row); err != nil || row[0] != at.UTC() ||
		row[1] != "text" || row[2] != nil || row[3] != int64(1) {
		t.Errorf("%v, %v", row, err)
	}
}

// readRows are rows whose next one is there.
type readRows struct{ driver.Rows }

func (readRows) Next([]driver.Value) error { return nil }
