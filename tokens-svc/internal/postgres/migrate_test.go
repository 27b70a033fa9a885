package postgres

import (
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
)

func TestMigrations(t *testing.T) {
	t.Parallel()
	postgrestest.Migrations(t, migrations, "00002_mails.sql", "00004_audit_times.sql")
}
