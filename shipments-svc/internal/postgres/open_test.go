package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestConnectionsSetStatementTimeout of their session, unless the DSN has another. Behind a pooler, its connect_query
// sets the timeout.
func TestConnectionsSetStatementTimeout(t *testing.T) {
	t.Parallel()
	dsn := pgtestDSN(t)
	for dsn, want := range map[string]string{dsn: "10s", withTimeout(t, dsn, "250"): "250ms"} {
		if !postgrestest.Session().Direct {
			want = "900ms"
		}
		on := NewRepository(openAt(t, dsn)).tenant(t.Context(), NewOrg())
		got, err := getRow[string](t.Context(), on, statement{"ask", `SHOW statement_timeout`})
		if err != nil || got != want {
			t.Errorf("statement_timeout is %s, want %s (%v)", got, want, err)
		}
	}
}

// withTimeout returns a DSN with a statement_timeout.
func withTimeout(t *testing.T, dsn, timeout string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("statement_timeout", timeout)
	u.RawQuery = query.Encode()
	return u.String()
}

// TestOnlyDirectConnectionsKeepPreparedStatements: a transaction pooler would
// hand them to another client.
func TestOnlyDirectConnectionsKeepPreparedStatements(t *testing.T) {
	t.Parallel()
	dsn := pgtestDSN(t)
	for _, session := range []postgres.Session{{}, postgrestest.Session()} {
		db, err := Open(dsn, session)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		n, err := getRow[int](t.Context(), NewRepository(db).tenant(t.Context(), NewOrg()), statement{
			"count", `SELECT count(*) FROM pg_prepared_statements WHERE name <> $1`,
		}, "")
		if err != nil || (n == 1) != session.Direct {
			t.Errorf("%+v: %d prepared statements (%v)", session, n, err)
		}
	}
}

// TestFailuresOfPostgresAreUnavailable: outages become ErrUnavailable; a statement
// at fault and a request that was cancelled do not.
func TestFailuresOfPostgresAreUnavailable(t *testing.T) {
	t.Parallel()
	for cause, unavailable := range map[error]bool{
		io.EOF: true, context.DeadlineExceeded: true, context.Canceled: false,
		sql.ErrConnDone: true,
	} {
		err := failure("x", fmt.Errorf("deep: %w", cause))
		if !errors.Is(err, cause) || errors.Is(err, shipments.ErrUnavailable) != unavailable {
			t.Errorf("%v", err)
		}
	}
}
