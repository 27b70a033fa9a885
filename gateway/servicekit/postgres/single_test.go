package postgres

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math"
	"testing"
	"time"

	"github.com/lib/pq"
)

// single runs do with the connection of a pool that prepares its statements.
func single(t *testing.T, do func(c *preparingConn)) {
	t.Helper()
	conn, err := preparing(t).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.Raw(func(c any) error {
		do(c.(*connection).Conn.(*preparingConn))
		return nil
	})
}

// one returns the columns of the only row of a query that has its transaction.
func one(t *testing.T, c *preparingConn, before, query string, args ...driver.Value) ([]driver.Value, error) {
	t.Helper()
	named := make([]driver.NamedValue, len(args))
	for i, arg := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: arg}
	}
	message, err := c.message(t.Context(), before, query, named)
	if err != nil {
		return nil, err
	}
	rows, err := c.QueryContext(t.Context(), message, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	row := make([]driver.Value, len(rows.Columns()))
	if err := rows.Next(row); err != nil {
		return nil, err
	}
	if err := rows.Next(make([]driver.Value, len(row))); !errors.Is(err, io.EOF) {
		return nil, err
	}
	return row, nil
}

func TestASingleStatementGetsItsArgumentsAsTheyAre(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 14, 3, 52, 123456000, time.FixedZone("", -3*3600))
	single(t, func(c *preparingConn) {
		for _, test := range []struct {
			kind string
			arg  driver.Value
			want string
		}{
			{"text", `it's`, `it's`},
			{"text", `\'; DROP TABLE x; --`, `\'; DROP TABLE x; --`},
			{"text", "é\n\u2028$1", "é\n\u2028$1"},
			{"text", "", ""},
			{"text", nil, "none"},
			{"bigint", int64(math.MinInt64), "-9223372036854775808"},
			{"smallint", int64(-3), "-3"},
			{"float8", 1e300, "1e+300"},
			{"boolean", true, "true"},
			{"timestamptz", at, "2026-11-20 17:03:52.123456+00"},
			{"timestamptz", "infinity", "infinity"},
			{"bytea", []byte{0, '\'', '\\', 255}, `\x00275cff`},
			{"bytea", []byte{}, `\x`},
			{"bytea", []byte(nil), "none"},
			{"text[]", `{"a b",c}`, `{"a b",c}`},
		} {
			row, err := one(t, c, "SET LOCAL timezone = 'UTC'", `SELECT coalesce(($1::`+test.kind+`)::text, 'none')`, test.arg)
			if err != nil || row[0] != test.want {
				t.Errorf("%#v as %s: %v, %v", test.arg, test.kind, row, err)
			}
		}
		if _, err := one(t, c, "SET LOCAL timezone = 'UTC'", `SELECT $1::text`, "a\x00'b"); !errors.Is(err, errNUL) {
			t.Errorf("a NUL: %v", err)
		}
	})
}

// TestSettingsOfASingleStatementEndWithIt, also when it fails, and what it
// changed is then undone.
func TestSettingsOfASingleStatementEndWithIt(t *testing.T) {
	t.Parallel()
	const set = `SET LOCAL test.scope = 'mine'; SET LOCAL ROLE pg_monitor`
	single(t, func(c *preparingConn) {
		if _, err := c.ExecContext(t.Context(),
			`CREATE TEMPORARY TABLE numbers (n int UNIQUE DEFERRABLE INITIALLY DEFERRED);
			GRANT ALL ON numbers TO public`, nil); err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			before, query string
			code          string // SQLSTATE of the error, if any
		}{
			{set, `INSERT INTO numbers VALUES ($1::int) RETURNING current_user || ' ' || current_setting('test.scope')`, ""},
			{set, `INSERT INTO numbers VALUES ($1::int + 1) RETURNING 1/(n - n)`, "22012"},
			{set, `INSERT INTO numbers VALUES ($1::int) RETURNING 'twice, which the commit finds'`, "23505"},
			{
				"SET TRANSACTION READ ONLY; " + set,
				`SELECT current_user || ' ' || current_setting('test.scope')
				WHERE current_setting('transaction_read_only')::boolean AND $1::int = 1`, "",
			},
		} {
			row, err := one(t, c, test.before, test.query, int64(1))
			server, _ := errors.AsType[*pq.Error](err)
			switch {
			case test.code == "" && (err != nil || row[0] != "pg_monitor mine"):
				t.Errorf("%s: %v, %v", test.query, row, err)
			case test.code != "" && (server == nil || string(server.Code) != test.code):
				t.Errorf("%s: %v, want %s", test.query, err, test.code)
			}
			row, err = one(t, c, "SET LOCAL test.other = ''",
				`SELECT current_user = session_user AND current_setting('test.scope', true) = ''
				AND (SELECT count(*) FROM numbers) = 1`)
			if err != nil || row[0] != true {
				t.Errorf("after %s: something is left: %v", test.query, err)
			}
		}
	})
}

func TestSingleStatementsArePreparedOnceAndBounded(t *testing.T) {
	t.Parallel()
	single(t, func(c *preparingConn) {
		prepared := func() any {
			row, err := one(t, c, "SET LOCAL test.x = ''", `SELECT count(*) FROM pg_prepared_statements`)
			if err != nil {
				t.Fatal(err)
			}
			return row[0]
		}
		for n := range 3 {
			if row, err := one(t, c, "SET LOCAL test.x = ''", `SELECT $1::int`, int64(n)); err != nil || row[0] != int64(n) {
				t.Errorf("%v, %v", row, err)
			}
		}
		if n := prepared(); n != int64(1) {
			t.Errorf("%d are prepared, want 1", n)
		}
		for n := range int64(maxPrepared) {
			if row, err := one(t, c, "SET LOCAL test.x = ''", fmt.Sprintf(`SELECT $1::int + %d`, n), int64(1)); err != nil ||
				row[0] != n+1 {
				t.Fatalf("%v, %v", row, err)
			}
		}
		if n := prepared(); n != int64(maxPrepared+1) || c.IsValid() {
			t.Errorf("%d are prepared, and the connection is kept: %t", n, c.IsValid())
		}
	})
}

func TestASingleStatementThatIsOutOfDateEndsItsConnection(t *testing.T) {
	t.Parallel()
	single(t, func(c *preparingConn) {
		const query = `SELECT $1::int`
		if _, err := one(t, c, "SET LOCAL test.x = ''", query, int64(1)); err != nil {
			t.Fatal(err)
		}
		if _, err := c.ExecContext(t.Context(), `DEALLOCATE ALL`, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := one(t, c, "SET LOCAL test.x = ''", query, int64(1)); !errors.Is(err, ErrStalePlan) ||
			!errors.Is(err, driver.ErrBadConn) || c.IsValid() {
			t.Errorf("%v, valid %t", err, c.IsValid())
		}
	})
}
