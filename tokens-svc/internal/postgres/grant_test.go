package postgres_test

import (
	"database/sql"
	"errors"
	"io"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// installation is a database with its owner and the login of serve, neither of
// which is a superuser. Both DSNs have a password.
type installation struct{ migrate, serve string }

func install(t *testing.T, server string) installation {
	t.Helper()
	admin := connect(t, server)
	name := "quayside_test_" + strings.TrimPrefix(publicid.New("usr"), "usr_")
	login := func(role string) string {
		execute(t, admin, `CREATE ROLE `+role+` LOGIN PASSWORD 'not-secret'`)
		u, err := url.Parse(postgrestest.Direct(server))
		if err != nil {
			t.Fatal(err)
		}
		u.User, u.Path = url.UserPassword(role, "not-secret"), "/"+name
		return u.String()
	}
	i := installation{migrate: login(name + "_owner"), serve: login(name)}
	execute(t, admin, `CREATE DATABASE `+name+` OWNER `+name+`_owner TEMPLATE template0`)
	t.Cleanup(func() {
		for _, statement := range []string{
			`DROP DATABASE ` + name + ` WITH (FORCE)`, `DROP ROLE ` + name, `DROP ROLE ` + name + `_owner`,
		} {
			execute(t, connect(t, server), statement)
		}
	})
	if err := postgres.Migrate(t.Context(), i.migrate, "up", io.Discard); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 3 { // several programs may be migrated at once
		wg.Go(func() {
			if err := postgres.Grant(t.Context(), i.migrate, name); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := postgres.Grant(t.Context(), i.migrate, name+"_owner"); err == nil {
		t.Error("the owner of the tables was limited")
	}
	return i
}

// TestInstallationsOnOneServerAreSeparate: each login serves from its own database, and cannot connect to the other's.
func TestInstallationsOnOneServerAreSeparate(t *testing.T) {
	t.Parallel()
	server := fresh(t)
	staging, production := install(t, server), install(t, server)
	path := func(dsn string) string { return dsn[strings.LastIndex(dsn, "/"):] }
	for _, of := range []struct{ own, other installation }{{staging, production}, {production, staging}} {
		db, err := postgres.Open(of.own.serve, postgrestest.Session())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		repo := postgres.NewRepository(db)
		if err := repo.Ready(t.Context()); err != nil {
			t.Error(err)
		}
		_, err = tokens.NewService(repo, tokens.Config{}).CreateOrganization(t.Context(),
			tokens.Operator(), someOrg, "Acme")
		if err != nil {
			t.Error(err)
		}
		there := strings.Replace(of.own.serve, path(of.own.serve), path(of.other.serve), 1)
		if err := connect(t, there).PingContext(t.Context()); !refused(err) {
			t.Errorf("the other's database: %v", err)
		}
	}
}

// TestTheServingLoginCannotRewriteTheAuditLog, nor remove what is kept for good,
// nor alter a table, nor act as anybody else. It may read every table.
func TestTheServingLoginCannotRewriteTheAuditLog(t *testing.T) {
	t.Parallel()
	db := connect(t, install(t, fresh(t)).serve)
	for _, statement := range []string{
		`UPDATE audit_events SET actor_name = 'x'`,
		`INSERT INTO audit_events SELECT * FROM audit_events ON CONFLICT (log_id, sequence) DO UPDATE SET actor_name = 'x'`,
		`DELETE FROM audit_events`,
		`TRUNCATE audit_events`,
		`DROP TABLE audit_events`,
		`ALTER TABLE audit_events DISABLE TRIGGER ALL`,
		`ALTER TABLE audit_events ADD COLUMN x text`,
		`ALTER TABLE audit_events OWNER TO CURRENT_USER`,
		`CREATE RULE x AS ON INSERT TO audit_events DO INSTEAD NOTHING`,
		`SET LOCAL session_replication_role = replica`,
		`DELETE FROM audit_heads`, `TRUNCATE audit_heads`,
		`DELETE FROM api_tokens`, `DELETE FROM changes`, `DELETE FROM organizations`, `DELETE FROM users`,
		`UPDATE changes SET rev = 0`, `UPDATE goose_db_version SET version_id = 0`,
	} {
		if _, err := db.ExecContext(t.Context(), statement); !refused(err) {
			t.Errorf("%s: %v", statement, err)
		}
	}
	var unread sql.NullString
	if err := db.QueryRowContext(t.Context(), `SELECT string_agg(relname, ', ') FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname <> 'goose_db_version'
		AND NOT has_table_privilege(oid, 'SELECT')`).Scan(&unread); err != nil || unread.Valid {
		t.Errorf("not granted: %s, %v", unread.String, err)
	}
}

// refused reports whether an error is that of missing privileges.
func refused(err error) bool {
	pgErr, ok := errors.AsType[*pq.Error](err)
	return ok && pgErr.Code == "42501"
}

func execute(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.Exec(statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}
