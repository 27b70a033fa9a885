package postgres_test

import "testing"

// TestARestoredDumpHasAnotherEpoch: restoring creates the tables anew.
func TestARestoredDumpHasAnotherEpoch(t *testing.T) {
	t.Parallel()
	dsn := fresh(t)
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
	if _, err := connect(t, dsn).ExecContext(t.Context(), `
		ALTER TABLE revision RENAME TO dumped;
		CREATE TABLE revision AS TABLE dumped;
		GRANT SELECT, UPDATE ON revision TO `+serving); err != nil {
		t.Fatal(err)
	}
	if after := epoch(); after == before {
		t.Errorf("the epoch is still %s", after)
	}
}
