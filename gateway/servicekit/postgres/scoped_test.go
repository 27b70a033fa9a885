package postgres_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
)

// elsewhere is the key of a context whose transactions keep the time zone of the session.
type elsewhere struct{}

// scoped returns pools of one connection, direct and as through a pooler, whose transactions have another time zone.
func scoped(t *testing.T) map[string]*sqlx.DB {
	t.Helper()
	all := map[string]*sqlx.DB{}
	for name, session := range map[string]postgres.Session{"direct": {Direct: true}, "pooled": {}} {
		dsn := postgrestest.New(t, migrate)
		if session.Direct {
			dsn = postgrestest.Direct(dsn)
		}
		db, err := postgres.Open(dsn, postgres.Options{
			Session: session,
			Scope: func(ctx context.Context) (string, bool) {
				if ctx.Value(elsewhere{}) != nil {
					return `SET LOCAL test.x = ''`, true
				}
				return `SET LOCAL TimeZone = 'Africa/Johannesburg'`, true
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		db.SetMaxOpenConns(1)
		all[name] = db
	}
	return all
}

// TestStatementOutsideATransactionIsCommitted, or the error of its commit returned.
func TestStatementOutsideATransactionIsCommitted(t *testing.T) {
	t.Parallel()
	for name, db := range scoped(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			committed(t, db)
		})
	}
}

func committed(t *testing.T, db *sqlx.DB) {
	t.Helper()
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

// TestSettingsEndWithTheirStatement: the settings of a scope apply to each statement,
// and are not left on the connection, whether it succeeds, fails or is not read to
// its end. A statement that could run without them is refused.
func TestSettingsEndWithTheirStatement(t *testing.T) {
	t.Parallel()
	for name, db := range scoped(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var zone, left string
			for _, statement := range []string{`SELECT 1/0`, `SELECT n/(3-n) FROM generate_series(3, 3) n`, `SHOW TimeZone`} {
				err := db.GetContext(t.Context(), &zone, statement)
				if divided, ok := errors.AsType[*pq.Error](err); err != nil && (!ok || divided.Code != "22012") {
					t.Errorf("%s: %v", statement, err)
				}
			}
			if zone != "Africa/Johannesburg" {
				t.Errorf("within: %s", zone)
			}
			if err := readOneOfMany(t.Context(), db); err != nil {
				t.Error(err)
			}
			if stmt, err := db.PrepareContext(t.Context(), `SELECT 1`); !errors.Is(err, postgres.ErrRefused) {
				defer func() { _ = stmt.Close() }()
				t.Errorf("prepared: %v", err)
			}
			ctx := context.WithValue(t.Context(), elsewhere{}, true)
			if err := db.GetContext(ctx, &left, `SHOW TimeZone`); err != nil || left == zone {
				t.Errorf("the setting stayed: %s, %v", left, err)
			}
		})
	}
}

// readOneOfMany closes rows of which it has read the first.
func readOneOfMany(ctx context.Context, db *sqlx.DB) error {
	rows, err := db.QueryContext(ctx, `SELECT generate_series(1, 1000)`)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	if !rows.Next() {
		return errors.New("there is no row")
	}
	return rows.Err()
}
