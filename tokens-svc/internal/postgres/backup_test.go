package postgres_test

import (
	"testing"
	"time"
)

func TestALoginThatOnlyReadsRecordsBackups(t *testing.T) {
	t.Parallel()
	dsn := fresh(t)
	repo := open(t, dsn)
	if at := repo.LastBackup(); at != 0 {
		t.Errorf("without a backup: %v", at)
	}
	execute(t, connect(t, dsn), `BEGIN; SET LOCAL ROLE pg_read_all_data; SELECT record_backup(); COMMIT`)
	if age := time.Since(time.Unix(int64(repo.LastBackup()), 0)); age.Abs() > time.Hour {
		t.Errorf("a backup of now is %v old", age)
	}
}
