package postgres

import (
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
)

func TestMigrations(t *testing.T) {
	t.Parallel()
	postgrestest.Migrations(t, migrations, "00007_job_turns.sql")
}

// TestReadinessFollowsTheEmbeddedMigrations, whose tables and grants readiness need not
// need.
func TestReadinessFollowsTheEmbeddedMigrations(t *testing.T) {
	t.Parallel()
	dsn := pgtestDSN(t)
	repo := NewRepository(openAt(t, dsn))
	if err := repo.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	exec(t, operator(t, dsn), `DELETE FROM goose_db_version WHERE version_id = 1`)
	const want = "ready: 1 migrations were not applied; run migrate up"
	if err := repo.Ready(t.Context()); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestEveryKeyBeginsWithTheOrganization: primary keys, unique constraints,
// foreign keys and indexes alike, so that the tables can be distributed. Three
// indexes serve all organizations at once: those of queues, in the order of turns and of time.
func TestEveryKeyBeginsWithTheOrganization(t *testing.T) {
	t.Parallel()
	var wrong []string
	if err := operator(t, pgtestDSN(t)).SelectContext(t.Context(), &wrong, `
		SELECT i.indexrelid::regclass::text FROM pg_index i
		JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
		WHERE n.nspname = 'public' AND c.relname NOT LIKE 'goose%' AND a.attname <> 'organization_id'
			AND i.indexrelid <> ALL (ARRAY['jobs_turns', 'jobs_claimable', 'webhook_deliveries_overdue']::regclass[])
		UNION ALL
		SELECT k.conname FROM pg_constraint k
		JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
		JOIN pg_class c ON c.oid = k.conrelid
		WHERE k.contype IN ('p', 'u', 'f') AND c.relname NOT LIKE 'goose%' AND a.attname <> 'organization_id'
			AND k.connamespace = 'public'::regnamespace`); err != nil || len(wrong) > 0 {
		t.Errorf("%v do not (%v)", wrong, err)
	}
}
