package postgres_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
)

// timeZones opens connections whose transactions have another time zone, and keeps
// the one that was opened last.
type timeZones struct {
	driver.Connector

	opened **postgres.Transactional
}

func (z timeZones) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := z.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	*z.opened = postgres.InTransactions(c, func(context.Context, driver.TxOptions) (string, error) {
		return `BEGIN; SET LOCAL TimeZone = 'Africa/Johannesburg'`, nil
	})
	return *z.opened, nil
}

func transactional(t *testing.T) (*sqlx.DB, **postgres.Transactional) {
	t.Helper()
	opened := new(*postgres.Transactional)
	db, err := postgres.Open(postgrestest.New(t, migrate), postgres.Options{
		Wrap: func(c driver.Connector, _ string) driver.Connector { return timeZones{c, opened} },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	return db, opened
}

// TestStatementOutsideATransactionIsCommitted, or the error of its commit returned.
func TestStatementOutsideATransactionIsCommitted(t *testing.T) {
	t.Parallel()
	db, _ := transactional(t)
	if _, err := db.ExecContext(t.Context(),
		`CREATE TABLE one (n int PRIMARY KEY DEFERRABLE INITIALLY DEFERRED)`); err != nil {
		t.Fatal(err)
	}
	var n []int
	const insert = `INSERT INTO one SELECT generate_series(1, 2) RETURNING n`
	if err := db.SelectContext(t.Context(), &n, insert); err != nil || len(n) != 2 {
		t.Errorf("%v, %v", n, err)
	}
	var kept, again int
	for what, err := range map[string]error{
		"select": db.SelectContext(t.Context(), &n, insert),
		"get":    db.GetContext(t.Context(), &again, insert),
		"exec":   func() error { _, err := db.ExecContext(t.Context(), insert); return err }(),
	} {
		if violated, ok := errors.AsType[*pq.Error](err); !ok || violated.Code != "23505" {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := db.GetContext(t.Context(), &kept, `SELECT count(*) FROM one`); err != nil || kept != 2 {
		t.Errorf("%d rows, %v", kept, err)
	}
}

// TestSettingsEndWithTheirStatement: the settings of begin apply to each statement,
// and are not left on the connection, whether it succeeds, fails or is not read to
// its end. A statement that could run without them is refused.
func TestSettingsEndWithTheirStatement(t *testing.T) {
	t.Parallel()
	db, opened := transactional(t)
	var zone string
	for _, statement := range []string{`SELECT 1/0`, `SELECT n/(3-n) FROM generate_series(3, 3) n`, `SHOW TimeZone`} {
		err := db.GetContext(t.Context(), &zone, statement)
		if divided, ok := errors.AsType[*pq.Error](err); err != nil && (!ok || divided.Code != "22012") {
			t.Errorf("%s: %v", statement, err)
		}
	}
	if zone != "Africa/Johannesburg" {
		t.Errorf("within: %s", zone)
	}
	rows, err := db.QueryContext(t.Context(), `SELECT generate_series(1, 1000)`)
	if err != nil || !rows.Next() {
		t.Fatal(err)
	}
	if err := errors.Join(rows.Close(), rows.Err()); err != nil {
		t.Error(err)
	}
	if _, err := db.PrepareContext(t.Context(), `SELECT 1`); !errors.Is(err, postgres.ErrRefused) {
		t.Errorf("prepared: %v", err)
	}
	if (*opened).Inside() {
		t.Error("a transaction was left open")
	}
	left, err := (*opened).Conn.QueryContext(t.Context(), `SHOW TimeZone`, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = left.Close() }()
	is := []driver.Value{nil}
	if err := left.Next(is); err != nil || fmt.Sprintf("%s", is[0]) == zone {
		t.Errorf("the setting stayed: %s, %v", is[0], err)
	}
}
