package postgres_test

import (
	"testing"
	"time"
)

func TestALoginThatOnlyReadsRecordsBackups(t *testing.T) {
	t.Parallel()
	dsn := fresh(t)
	repo := open(t, dsn)
	if at, failing := repo.LastBackup(), repo.ArchiveFailing(); at != 0 || failing != 0 {
		t.Errorf("without a backup: %v; without an archive: %v", at, failing)
	}
	execute(t, connect(t, dsn), `BEGIN; SET LOCAL ROLE pg_read_all_data; SELECT record_backup(); COMMIT`)
	at := repo.LastBackup()
	for tries := 0; at == 0 && tries < 100; tries++ { // Postgres may need more than a second
		at = repo.LastBackup()
	}
	if age := time.Since(time.Unix(int64(at), 0)); age.Abs() > time.Hour {
		t.Errorf("a backup of now is %v old", age)
	}
}
