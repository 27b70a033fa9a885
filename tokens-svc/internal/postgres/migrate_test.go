package postgres

import (
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
)

func TestMigrations(t *testing.T) {
	t.Parallel()
	postgrestest.Migrations(t, migrations)
}
