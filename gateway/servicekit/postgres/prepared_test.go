package postgres

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// preparing returns a pool of one connection that prepares its statements, to
// the server itself.
func preparing(t *testing.T) *sqlx.DB {
	t.Helper()
	dsn := cmp.Or(os.Getenv("TEST_DATABASE_DIRECT_URL"), os.Getenv("TEST_DATABASE_URL"))
	if dsn == "" {
		t.Skip("TEST_DATABASE_URL is not set; other tests fail without it in CI")
	}
	db, err := Open(dsn, Options{Session: Session{Direct: true}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	return db
}

func execute(t *testing.T, db *sqlx.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func count(t *testing.T, db *sqlx.DB) (n int) {
	t.Helper()
	if err := db.GetContext(t.Context(), &n, `SELECT count(*) FROM pg_prepared_statements`); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAStatementIsPreparedOncePerConnection(t *testing.T) {
	t.Parallel()
	db := preparing(t)
	for i := range 3 {
		var got int
		if err := db.GetContext(t.Context(), &got, `SELECT $1::int + 1`, i); err != nil || got != i+1 {
			t.Errorf("%d, %v", got, err)
		}
	}
	if n := count(t, db); n != 1 {
		t.Errorf("%d statements are prepared, want 1", n)
	}
}

func TestPreparedStatementsAreBounded(t *testing.T) {
	t.Parallel()
	db := preparing(t)
	for round := range 2 { // a connection with too many is replaced
		for i := range maxPrepared + 20 {
			var got int
			if err := db.GetContext(t.Context(), &got, fmt.Sprintf(`SELECT $1::int + %d`, i), round); err != nil ||
				got != i+round {
				t.Fatalf("%d, %v", got, err)
			}
		}
	}
	if n := count(t, db); n > maxPrepared {
		t.Errorf("%d statements are prepared, want at most %d", n, maxPrepared)
	}
}

func TestPreparedStatementsFollowTheSchema(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"a new column":           `ALTER TABLE changing ADD COLUMN b int`,
		"another type":           `ALTER TABLE changing ALTER COLUMN a TYPE bigint`,
		"all are deallocated":    `DEALLOCATE ALL`,
		"a table made once more": `DROP TABLE changing; CREATE TEMPORARY TABLE changing (a text)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := preparing(t)
			execute(t, db, `CREATE TEMPORARY TABLE changing (a int)`)
			const query = `SELECT * FROM changing WHERE $1`
			read := func(q sqlx.QueryerContext) error {
				rows, err := q.QueryxContext(t.Context(), query, true)
				if err != nil {
					return err
				}
				defer func() { _ = rows.Close() }()
				return rows.Err()
			}
			if err := read(db); err != nil {
				t.Fatal(err)
			}
			tx, err := db.BeginTxx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tx.ExecContext(t.Context(), change); err != nil {
				t.Fatal(err)
			}
			if err := read(tx); !errors.Is(err, ErrStalePlan) {
				t.Errorf("within a transaction: %v, want ErrStalePlan", err)
			}
			_ = tx.Rollback() // the server has ended it
			// The connection, and with it the temporary table, is replaced.
			var server *pq.Error
			if err := read(db); !errors.As(err, &server) || server.Code != "42P01" {
				t.Errorf("on the next connection: %v", err)
			}
		})
	}
}

// TestAStaleStatementOutsideOfATransactionIsRepeated on another connection.
func TestAStaleStatementOutsideOfATransactionIsRepeated(t *testing.T) {
	t.Parallel()
	db := preparing(t)
	var before, after int
	if err := db.GetContext(t.Context(), &before, `SELECT pg_backend_pid() WHERE $1`, true); err != nil {
		t.Fatal(err)
	}
	execute(t, db, `DEALLOCATE ALL`)
	if err := db.GetContext(t.Context(), &after, `SELECT pg_backend_pid() WHERE $1`, true); err != nil || after == before {
		t.Errorf("backend %d, before %d: %v", after, before, err)
	}
}

// TestPreparedStatementsFollowTheRole: row-level security is that of the role at
// execution, not at preparation.
func TestPreparedStatementsFollowTheRole(t *testing.T) {
	t.Parallel()
	db := preparing(t)
	execute(t, db, `CREATE TEMPORARY TABLE guarded (a int); INSERT INTO guarded VALUES (1), (2);
		GRANT SELECT ON guarded TO public; ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
		CREATE POLICY odd ON guarded TO pg_read_all_settings USING (a % 2 = 1)`)
	for range 7 { // beyond the five custom plans that Postgres makes first
		for role, want := range map[string]int{
			"none": 2, "pg_read_all_settings": 1, "pg_monitor": 1,
			"pg_signal_backend": 0,
		} {
			tx, err := db.BeginTxx(t.Context(), &sql.TxOptions{ReadOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			var got int
			_, err = tx.ExecContext(t.Context(), `SET LOCAL ROLE `+role)
			err = errors.Join(err, tx.GetContext(t.Context(), &got, `SELECT count(*) FROM guarded WHERE a > $1`, 0),
				tx.Rollback())
			if err != nil || got != want {
				t.Errorf("as %s: %d rows, want %d: %v", role, got, want, err)
			}
		}
	}
}
