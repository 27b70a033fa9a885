package postgres_test

import (
	"database/sql"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
)

// TestARestoredDumpHasAnotherEpoch: restoring creates the tables anew. A promotion
// is tested with a standby, in deploy/drills.
func TestARestoredDumpHasAnotherEpoch(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.New(t, postgres.Migrate)
	repo := open(t, dsn)
	epoch := func() string {
		t.Helper()
		_, _, epoch, err := repo.Changes(t.Context(), 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		return epoch
	}
	before := epoch()
	if again := epoch(); again != before {
		t.Errorf("epoch %s becomes %s", before, again)
	}
	db, err := sql.Open("postgres", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), `
		ALTER TABLE revision RENAME TO dumped;
		CREATE TABLE revision AS TABLE dumped;
		GRANT SELECT, UPDATE ON revision TO quayside_tokens`); err != nil {
		t.Fatal(err)
	}
	if after := epoch(); after == before {
		t.Errorf("the epoch is still %s", after)
	}
}
