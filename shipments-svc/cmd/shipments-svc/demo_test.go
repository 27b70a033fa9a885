package main

import (
	"io"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
)

// TestTheDemoContradictsNothing: what is shown of its shipments follows from files that were read, in the order of
// their times, and a later run completes one that was interrupted and repeats nothing.
func TestTheDemoContradictsNothing(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.New(t, postgres.Migrate)
	db := sqlx.MustOpen("postgres", postgrestest.Direct(dsn))
	defer func() { _ = db.Close() }()
	environ := []string{"DATABASE_URL=" + dsn, "QUAYSIDE_DEMO=true", "DOCUMENTS_DIR=" + t.TempDir()}
	run := func() string {
		t.Helper()
		if err := (demo{}).Run(t.Context(), program{environ: environ, stdout: io.Discard}); err != nil {
			t.Fatal(err)
		}
		var rows []string
		if err := db.SelectContext(t.Context(), &rows, `
			SELECT concat_ws(' ', reference, s.status, pallets_count, h.actions,
				(SELECT string_agg(d.status, ' ') FROM documents d WHERE d.shipment_id = s.id),
				(SELECT details FROM checks c WHERE c.shipment_id = s.id AND name = 'documents_consistent' AND result = 'fail'))
			FROM shipments s CROSS JOIN LATERAL (
				SELECT string_agg(action, ',' ORDER BY version) AS actions, array_agg(at ORDER BY version) AS by_version,
					array_agg(at ORDER BY at) AS by_time
				FROM shipment_history WHERE shipment_id = s.id
			) h
			WHERE by_version = by_time AND updated_at = by_time[cardinality(by_time)] AND updated_at < '2026-11-20'
			ORDER BY reference`); err != nil {
			t.Fatal(err)
		}
		return strings.Join(rows, "\n")
	}
	const read = " create,attach_document,process_document"
	want := strings.Join([]string{
		"CFE-2026-0412 approved 4" + read + ",approve processed", "CFE-2026-0419 approved 3" + read + ",approve processed",
		"CFE-2026-0433 rejected 3" + read + ",reject processed",
		"CFE-2026-0451 ready_for_review 5" + read + ",attach_document,process_document processed processed",
		"CFE-2026-0452 ready_for_review 3" + read + " processed",
		"CFE-2026-0460 pending 0 create,attach_document,fail_document failed",
		"CFE-2026-0464 pending 0 create", "CFE-2026-0465 pending 0 create",
		"VV-77 approved 2" + read + ",approve processed",
	}, "\n")
	for _, interruption := range []string{
		"", "SELECT", `DELETE FROM pallets; DELETE FROM documents; DELETE FROM shipment_history WHERE version > 1;
			UPDATE shipments SET version = 1, status = 'pending', pallets_count = 0, approved_at = NULL`,
	} {
		if _, err := db.ExecContext(t.Context(), interruption); err != nil {
			t.Fatal(err)
		}
		if got := run(); got != want {
			t.Errorf("after %q:\n%s\nwant\n%s", interruption, got, want)
		}
	}
	// Data of earlier builds stays as it is.
	if _, err := db.ExecContext(t.Context(), `DELETE FROM documents; UPDATE shipments SET version = 2`); err != nil {
		t.Fatal(err)
	}
	run()
}
