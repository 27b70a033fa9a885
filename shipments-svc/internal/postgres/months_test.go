package postgres

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
	"github.com/quayside/quayside/shipments-svc/internal/shipments/repotest"
)

// TestMonthsAreFilledFromTheDaysThatThereAre, also by an owner of the tables
// which is no superuser, so that row-level security would bind it.
func TestMonthsAreFilledFromTheDaysThatThereAre(t *testing.T) {
	t.Parallel()
	owner := plainRole(t)
	dsn := pgtestDSN(t)
	repo, db := NewRepository(openAt(t, dsn)), operator(t, dsn)
	org := repotest.Org()
	var all []shipments.Detail
	for i := range 40 {
		all = append(all, shipments.Detail{Shipment: repotest.Shipment(shipments.Pending, repotest.Noon.AddDate(0, -i%5, -i))})
	}
	if _, err := repo.Import(t.Context(), org, all); err != nil {
		t.Fatal(err)
	}
	asOwner, err := url.Parse(postgrestest.Direct(dsn))
	if err != nil {
		t.Fatal(err)
	}
	asOwner.RawQuery += "&role=" + owner
	exec(t, db, fmt.Sprintf(`GRANT ALL ON SCHEMA public TO %[1]s; GRANT %[2]s, %[3]s TO %[1]s; ALTER FUNCTION count_by_month OWNER TO %[1]s;
		DO $$ DECLARE name regclass; BEGIN
			FOR name IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
				EXECUTE format('ALTER TABLE %%s OWNER TO %[1]s', name);
			END LOOP;
		END $$`, owner, tenant, dispatcher))
	for there := true; there; {
		if err := Migrate(t.Context(), asOwner.String(), "down", io.Discard); err != nil {
			t.Fatal(err)
		}
		if err := db.GetContext(t.Context(), &there, `SELECT to_regclass('shipment_months') IS NOT NULL`); err != nil {
			t.Fatal(err)
		}
	}
	if err := Migrate(t.Context(), asOwner.String(), "up", io.Discard); err != nil {
		t.Fatal(err)
	}
	rows, total, err := repo.List(t.Context(), org, shipments.Filter{}, 30, 25)
	if err != nil || total != 40 || len(rows) != 10 {
		t.Errorf("%d shipments of %d (%v)", len(rows), total, err)
	}
}

// plainRole makes a role that may do nothing by itself, and removes it when the
// databases of the test are gone.
func plainRole(t *testing.T) string {
	t.Helper()
	server := os.Getenv("TEST_DATABASE_URL")
	if server == "" {
		return "" // the database that the test asks for next will say what that means
	}
	name := "quayside_plain_" + strings.ToLower(rand.Text())
	db, err := sqlx.Open("postgres", postgrestest.Direct(server))
	if err != nil {
		t.Fatal(err)
	}
	exec(t, db, `CREATE ROLE `+name)
	t.Cleanup(func() {
		exec(t, db, `DROP ROLE `+name)
		_ = db.Close()
	})
	return name
}
