package postgres

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/postgres/pgtest"
)

// TestMigrationsGoDownAndUpAgain, so that a way back exists and is complete.
func TestMigrationsGoDownAndUpAgain(t *testing.T) {
	t.Parallel()
	dsn := pgtestDSN(t)
	files, err := migrations.ReadDir("migrations")
	if err != nil {
		t.Fatal(err)
	}
	var want, got bytes.Buffer
	step := func(direction, line string) {
		t.Helper()
		if err := Migrate(t.Context(), pgtest.Direct(dsn), direction, &got); err != nil {
			t.Fatalf("%s: %v", direction, err)
		}
		want.WriteString(line)
	}
	repo := NewRepository(openAt(t, dsn))
	for _, file := range slices.Backward(files) {
		step("down", "down "+file.Name()+"\n")
		if err := repo.Ready(t.Context()); err == nil {
			t.Errorf("without %s the repository is ready", file.Name())
		}
	}
	for _, file := range files {
		want.WriteString("pending " + file.Name() + "\n")
	}
	step("status", "")
	for _, file := range files {
		want.WriteString("up " + file.Name() + "\n")
	}
	step("up", "")
	if got.String() != want.String() {
		t.Errorf("%s, want %s", &got, &want)
	}
	var left int
	takeBack(t, dsn)
	if err := operator(t, dsn).GetContext(t.Context(), &left, `SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'public' AND c.relkind IN ('r', 'i', 'S') AND c.relname NOT LIKE 'goose%'`); err != nil || left != 0 {
		t.Errorf("%d tables and indexes are left (%v)", left, err)
	}
}

// TestReadinessFollowsTheEmbeddedMigrations: the newest one counts, too, whose
// tables and grants readiness does not need.
func TestReadinessFollowsTheEmbeddedMigrations(t *testing.T) {
	t.Parallel()
	dsn := pgtestDSN(t)
	repo := NewRepository(openAt(t, dsn))
	if err := repo.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	exec(t, operator(t, dsn), `DELETE FROM goose_db_version WHERE version_id = $1`, versions[len(versions)-1])
	want := fmt.Sprintf("ready: %d of %d migrations were applied; run migrate up", len(versions)-1, len(versions))
	if err := repo.Ready(t.Context()); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// takeBack takes every migration back.
func takeBack(t *testing.T, dsn string) {
	t.Helper()
	files, err := migrations.ReadDir("migrations")
	if err != nil {
		t.Fatal(err)
	}
	for range files {
		if err := Migrate(t.Context(), pgtest.Direct(dsn), "down", io.Discard); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMigrationsMayRunAtOnce, as when several replicas are deployed.
func TestMigrationsMayRunAtOnce(t *testing.T) {
	t.Parallel()
	dsn := pgtestDSN(t)
	takeBack(t, dsn)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if err := Migrate(t.Context(), pgtest.Direct(dsn), "up", io.Discard); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := NewRepository(openAt(t, dsn)).Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestMigrateRefusesOtherDirectionsAndDSNs(t *testing.T) {
	t.Parallel()
	if err := Migrate(t.Context(), pgtest.Direct(pgtestDSN(t)), "sideways", io.Discard); err == nil || !strings.Contains(err.Error(), "want up, down or status") {
		t.Errorf("%v", err)
	}
	if err := Migrate(t.Context(), "postgres://u:hunter2@local host/", "up", io.Discard); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v", err)
	}
}

// TestEveryKeyBeginsWithTheOrganization: primary keys, unique constraints,
// foreign keys and indexes alike, so that the tables can be distributed. Two
// indexes serve all organizations at once: those of queues, in the order of time.
func TestEveryKeyBeginsWithTheOrganization(t *testing.T) {
	t.Parallel()
	var wrong []string
	if err := operator(t, pgtestDSN(t)).SelectContext(t.Context(), &wrong, `
		SELECT i.indexrelid::regclass::text FROM pg_index i
		JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
		WHERE n.nspname = 'public' AND c.relname NOT LIKE 'goose%' AND a.attname <> 'organization_id'
			AND i.indexrelid <> ALL (ARRAY['jobs_claimable', 'webhook_deliveries_overdue']::regclass[])
		UNION ALL
		SELECT k.conname FROM pg_constraint k
		JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
		JOIN pg_class c ON c.oid = k.conrelid
		WHERE k.contype IN ('p', 'u', 'f') AND c.relname NOT LIKE 'goose%' AND a.attname <> 'organization_id'
			AND k.connamespace = 'public'::regnamespace`); err != nil || len(wrong) > 0 {
		t.Errorf("%v do not (%v)", wrong, err)
	}
}
