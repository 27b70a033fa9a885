package main

import (
	"io"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
)

// TestTheDemoCompletesAnInterruptedRun: a shipment that was created and not given its pallets and status gets them.
func TestTheDemoCompletesAnInterruptedRun(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.New(t, postgres.Migrate)
	db := sqlx.MustOpen("postgres", dsn)
	defer func() { _ = db.Close() }()
	run := func() (made struct{ Pallets, Reviewed int }) {
		t.Helper()
		p := program{environ: []string{"DATABASE_URL=" + dsn, "QUAYSIDE_DEMO=true"}, stdout: io.Discard}
		if err := (demo{}).Run(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if err := db.GetContext(t.Context(), &made, `SELECT (SELECT count(*) FROM pallets) AS pallets,
			(SELECT count(*) FROM shipments WHERE status <> 'pending') AS reviewed`); err != nil {
			t.Fatal(err)
		}
		return made
	}
	want := run()
	if _, err := db.ExecContext(t.Context(), `DELETE FROM pallets; DELETE FROM shipment_history WHERE version > 1;
		UPDATE shipments SET version = 1, status = 'pending', pallets_count = 0, approved_at = NULL`); err != nil {
		t.Fatal(err)
	}
	if got := run(); got != want || got.Pallets == 0 {
		t.Errorf("%+v, want %+v", got, want)
	}
}
