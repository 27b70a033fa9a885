package postgres

import (
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// login makes a login that may do nothing, and returns its name and what a DSN
// becomes as it.
func login(t *testing.T, dsn, inherit string) (name string, as func(dsn string) string) {
	t.Helper()
	db := operator(t, dsn)
	name = "quayside_test_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	exec(t, db, `CREATE ROLE `+name+` LOGIN `+inherit+` PASSWORD 'not-secret'`)
	t.Cleanup(func() {
		exec(t, db, `DROP OWNED BY `+name)
		exec(t, db, `DROP ROLE `+name)
	})
	return name, func(dsn string) string {
		u, err := url.Parse(postgrestest.Direct(dsn))
		if err != nil {
			t.Fatal(err)
		}
		u.User = url.UserPassword(name, "not-secret")
		return u.String()
	}
}

// TestNoLoginNeedsMoreThanTheRoles: neither who migrates, if it owns the
// database, nor who serves, which owns nothing. Another login with the same roles,
// as another installation on the server has it, may not connect.
func TestNoLoginNeedsMoreThanTheRoles(t *testing.T) {
	t.Parallel()
	server := pgtestDSN(t)
	admin := operator(t, server)
	owner, asOwner := login(t, server, "INHERIT")
	serving, asServer := login(t, server, "NOINHERIT")
	dsn := ownedBy(t, server, owner)

	err := Migrate(t.Context(), asOwner(dsn), "up", io.Discard)
	if want := fmt.Sprintf("%s may not make or get the role quayside_tenant", owner); err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Fatalf("%v, want %q", err, want)
	}
	exec(t, admin, `GRANT quayside_tenant, quayside_dispatcher TO `+owner+` WITH ADMIN OPTION`)
	if err := Migrate(t.Context(), asOwner(dsn), "up", io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := Grant(t.Context(), asOwner(dsn), serving); err != nil {
		t.Fatal(err)
	}
	for _, as := range []string{asOwner(dsn), asServer(dsn)} {
		r, org := NewRepository(openAt(t, as)), NewOrg()
		must(t, r.Create(t.Context(), org, NewShipment(shipments.Pending, Noon), Someone))
		if page, total, err := r.List(t.Context(), org, shipments.Filter{}, 0, 10); len(page) != 1 || total != 1 ||
			err != nil {
			t.Errorf("%d of %d (%v)", len(page), total, err)
		}
		if waiting, err := r.Waiting(t.Context(), shipments.OrgID{}, 10); len(waiting) == 0 || err != nil {
			t.Errorf("%v (%v)", waiting, err)
		}
		var n int
		if err := operator(t, as).GetContext(t.Context(), &n, `SELECT count(*) FROM shipments`); err == nil && n > 0 {
			t.Errorf("without an organization it reads %d shipments", n)
		}
	}
	another, asAnother := login(t, server, "NOINHERIT")
	exec(t, admin, `GRANT quayside_tenant, quayside_dispatcher TO `+another)
	if err := operator(t, asAnother(dsn)).PingContext(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "permission denied for database") {
		t.Errorf("another installation's login: %v", err)
	}
}

// ownedBy makes an empty database of a login and returns its DSN.
func ownedBy(t *testing.T, server, owner string) string {
	t.Helper()
	admin, name := operator(t, server), owner+"_owned"
	exec(t, admin, `CREATE DATABASE `+name+` OWNER `+owner+` TEMPLATE template0`)
	t.Cleanup(func() { exec(t, admin, `DROP DATABASE `+name+` WITH (FORCE)`) })
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}
