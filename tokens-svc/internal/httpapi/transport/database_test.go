package transport_test

import (
	"database/sql"
	"testing"
)

// exec changes the database behind the program's back.
func exec(tb testing.TB, dsn, statement string, args ...any) {
	tb.Helper()
	db, err := sql.Open("postgres", dsn)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(tb.Context(), statement, args...); err != nil {
		tb.Fatal(err)
	}
}
