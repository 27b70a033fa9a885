package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/tokens/repotest"
)

func pool(t *testing.T, dsn string, session postgres.Session) *sqlx.DB {
	t.Helper()
	db, err := Open(dsn, session)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// owner returns a pool of the login, without the serving role.
func owner(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("postgres", postgrestest.Direct(dsn))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func execute(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(context.WithoutCancel(t.Context()), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// TestTheServingRoleCannotRewriteTheAuditLog, nor remove what is kept for good,
// nor alter a table, nor act as anybody else.
func TestTheServingRoleCannotRewriteTheAuditLog(t *testing.T) {
	t.Parallel()
	for _, session := range []postgres.Session{{}, postgrestest.Session()} {
		t.Run(fmt.Sprintf("%+v", session), func(t *testing.T) {
			t.Parallel()
			cannotRewrite(t, session)
		})
	}
}

func cannotRewrite(t *testing.T, session postgres.Session) {
	t.Helper()
	dsn := postgrestest.New(t, Migrate)
	db := pool(t, dsn, session)
	repo := NewRepository(db)
	if _, err := tokens.NewService(repo, tokens.Config{}).CreateOrganization(t.Context(), tokens.Operator(), repotest.Org, "Acme"); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`UPDATE audit_events SET actor_name = 'x'`,
		`INSERT INTO audit_events SELECT * FROM audit_events ON CONFLICT (log_id, sequence) DO UPDATE SET actor_name = 'x'`,
		`DELETE FROM audit_events`,
		`TRUNCATE audit_events`,
		`DROP TABLE audit_events`,
		`ALTER TABLE audit_events DISABLE TRIGGER ALL`,
		`ALTER TABLE audit_events ADD COLUMN x text`,
		`ALTER TABLE audit_events OWNER TO quayside_tokens`,
		`CREATE RULE x AS ON INSERT TO audit_events DO INSTEAD NOTHING`,
		`SET LOCAL session_replication_role = replica`,
		`DELETE FROM audit_heads`, `TRUNCATE audit_heads`,
		`DELETE FROM api_tokens`, `DELETE FROM changes`, `DELETE FROM organizations`, `DELETE FROM users`,
		`UPDATE changes SET rev = 0`, `UPDATE goose_db_version SET version_id = 0`,
	} {
		_, err := db.ExecContext(t.Context(), statement)
		if refused, ok := errors.AsType[*pq.Error](err); !ok || refused.Code != "42501" { // insufficient_privilege
			t.Errorf("%s: %v", statement, err)
		}
	}
	var role string
	if err := db.GetContext(t.Context(), &role, `SELECT current_user`); err != nil || role != servingRole {
		t.Errorf("the role is %q, %v", role, err)
	}
	if !session.Direct {
		if _, err := db.PrepareContext(t.Context(), `SELECT 1`); !errors.Is(err, postgres.ErrRefused) { //nolint:sqlclosecheck // there is none
			t.Errorf("prepared: %v", err)
		}
	}
	if head, err := repo.VerifyAudit(t.Context(), string(repotest.Org)); err != nil || head.Sequence != 1 {
		t.Errorf("%+v, %v", head, err)
	}
}

// TestEveryStatementRunsAsTheServingRole, and the role does not stay on the
// connection.
func TestEveryStatementRunsAsTheServingRole(t *testing.T) {
	t.Parallel()
	var opened *postgres.Transactional
	db, err := postgres.Open(postgrestest.New(t, Migrate), postgres.Options{Wrap: func(c driver.Connector, timeout string) driver.Connector {
		return capture{asServingRole(c, timeout), &opened}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	var role string
	if err := db.GetContext(t.Context(), &role, `SELECT current_user`); err != nil || role != servingRole {
		t.Errorf("a query: %q, %v", role, err)
	}
	for _, opts := range []*sql.TxOptions{nil, {ReadOnly: true}, {Isolation: sql.LevelRepeatableRead, ReadOnly: true}} {
		tx, err := db.BeginTxx(t.Context(), opts)
		if err != nil {
			t.Fatal(err)
		}
		var isolation, readOnly string
		err = tx.QueryRowContext(t.Context(), `SELECT current_user, current_setting('transaction_isolation'), current_setting('transaction_read_only')`).
			Scan(&role, &isolation, &readOnly)
		if err != nil || role != servingRole || (readOnly == "on") != (opts != nil) || (isolation == "repeatable read") != (opts != nil && opts.Isolation != 0) {
			t.Errorf("%+v: %q, %s, read only %s, %v", opts, role, isolation, readOnly, err)
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
	}
	err = errors.Join(
		db.GetContext(t.Context(), &role, `SELECT 1/0`),
		db.GetContext(t.Context(), &role, `SELECT n/(3-n) FROM generate_series(3, 3) n`))
	if divided, ok := errors.AsType[*pq.Error](err); !ok || divided.Code != "22012" {
		t.Errorf("%v", err)
	}
	rows, err := db.QueryContext(t.Context(), `SELECT generate_series(1, 1000)`)
	if err != nil || !rows.Next() {
		t.Fatal(err)
	}
	if err := errors.Join(rows.Close(), rows.Err()); err != nil { //nolint:sqlclosecheck // before its end
		t.Error(err)
	}
	if opened.Inside() {
		t.Error("a transaction was left open")
	}
	left, err := opened.Conn.QueryContext(t.Context(), `SELECT (current_user = session_user)::text`, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = left.Close() }()
	is := []driver.Value{nil}
	if err := left.Next(is); err != nil || fmt.Sprintf("%s", is[0]) != "true" {
		t.Errorf("the role stayed: %s, %v", is[0], err)
	}
}

// capture keeps the connection that was opened last.
type capture struct {
	driver.Connector

	opened **postgres.Transactional
}

func (c capture) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err == nil {
		*c.opened = opened.(*postgres.Transactional)
	}
	return opened, err
}

// TestStatementOutsideATransactionIsCommitted, or the error of its commit returned.
func TestStatementOutsideATransactionIsCommitted(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.New(t, Migrate)
	execute(t, owner(t, dsn), `CREATE TABLE one (n int PRIMARY KEY DEFERRABLE INITIALLY DEFERRED); GRANT ALL ON one TO quayside_tokens`)
	db := pool(t, dsn, postgrestest.Session())
	var n []int
	const insert = `INSERT INTO one SELECT generate_series(1, 2) RETURNING n`
	if err := db.SelectContext(t.Context(), &n, insert); err != nil || len(n) != 2 {
		t.Errorf("%v, %v", n, err)
	}
	var kept, again int
	for what, err := range map[string]error{
		"select": db.SelectContext(t.Context(), &n, insert),
		"get":    db.GetContext(t.Context(), &again, insert),
		"exec":   func() error { _, err := db.ExecContext(t.Context(), insert); return err }(),
	} {
		if violated, ok := errors.AsType[*pq.Error](err); !ok || violated.Code != uniqueViolation {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := db.GetContext(t.Context(), &kept, `SELECT count(*) FROM one`); err != nil || kept != 2 {
		t.Errorf("%d rows, %v", kept, err)
	}
}

// TestLoginsNeedOnlyTheServingRole to serve, and no superuser to migrate.
func TestLoginsNeedOnlyTheServingRole(t *testing.T) {
	t.Parallel()
	server := postgrestest.New(t, Migrate)
	admin := owner(t, server)
	migrating, asMigrating := login(t, server, "INHERIT")
	serving, asServing := login(t, server, "NOINHERIT")
	execute(t, admin, `CREATE DATABASE `+migrating+` OWNER `+migrating+` TEMPLATE template0`)
	t.Cleanup(func() { execute(t, admin, `DROP DATABASE `+migrating+` WITH (FORCE)`) })

	err := Migrate(t.Context(), asMigrating(migrating), "up", io.Discard)
	if want := fmt.Sprintf("%s may not create or get the role quayside_tokens", migrating); err == nil || !strings.Contains(err.Error(), want) {
		t.Fatalf("%v, want %q", err, want)
	}
	execute(t, admin, `GRANT quayside_tokens TO `+migrating+`, `+serving)
	if err := Migrate(t.Context(), asMigrating(migrating), "up", io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, dsn := range []string{asServing(migrating), asMigrating(migrating)} {
		repo := NewRepository(pool(t, dsn, postgrestest.Session()))
		if err := repo.Ready(t.Context()); err != nil {
			t.Error(err)
		}
		org := tokens.OrgID(publicid.New("org"))
		if _, err := tokens.NewService(repo, tokens.Config{}).CreateOrganization(t.Context(), tokens.Operator(), org, "Acme"); err != nil {
			t.Error(err)
		}
		if _, err := repo.VerifyAudit(t.Context(), string(org)); err != nil {
			t.Error(err)
		}
	}
	var n int
	err = owner(t, asServing(migrating)).QueryRowContext(t.Context(), `SELECT count(*) FROM audit_events`).Scan(&n)
	if refused, ok := errors.AsType[*pq.Error](err); !ok || refused.Code != "42501" {
		t.Errorf("the login itself read %d events: %v", n, err)
	}
}

// login creates a login without any right, and returns its name and the DSN of
// a database as it.
func login(t *testing.T, server, inherit string) (name string, dsn func(database string) string) {
	t.Helper()
	admin := owner(t, server)
	name = "quayside_test_" + strings.TrimPrefix(publicid.New("usr"), "usr_")
	execute(t, admin, `CREATE ROLE `+name+` LOGIN `+inherit+` PASSWORD 'not-secret'`)
	t.Cleanup(func() { execute(t, owner(t, server), `DROP ROLE `+name) })
	return name, func(database string) string {
		u, err := url.Parse(postgrestest.Direct(server))
		if err != nil {
			t.Fatal(err)
		}
		u.User, u.Path = url.UserPassword(name, "not-secret"), "/"+database
		return u.String()
	}
}

// TestARoleWithMoreRightsIsNotReady: somebody granted it what it must not have.
func TestARoleWithMoreRightsIsNotReady(t *testing.T) {
	t.Parallel()
	for _, right := range []string{"UPDATE", "DELETE", "TRUNCATE"} {
		dsn := postgrestest.New(t, Migrate)
		repo := NewRepository(pool(t, dsn, postgrestest.Session()))
		if err := repo.Ready(t.Context()); err != nil {
			t.Error(err)
		}
		execute(t, owner(t, dsn), `GRANT `+right+` ON audit_events TO quayside_tokens`)
		if err := repo.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "audit_events") {
			t.Errorf("with %s: %v", right, err)
		}
	}
}

// TestEveryTableIsGranted: a new one needs a GRANT, too.
func TestEveryTableIsGranted(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.New(t, Migrate)
	rows, err := owner(t, dsn).QueryContext(t.Context(), `
		SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
		AND relname <> 'goose_db_version' AND NOT has_table_privilege('quayside_tokens', oid, 'SELECT')`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		t.Errorf("%s is not granted to %s", name, servingRole)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}
