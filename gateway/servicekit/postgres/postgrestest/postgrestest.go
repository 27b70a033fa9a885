// Package postgrestest gives each test a Postgres database of its own, and tests
// a service's migrations.
//
// The schema is migrated once per test program, into a template that each test
// clones, which takes some tens of milliseconds. Tests never share rows and may run
// in parallel. Databases are dropped when the test ends.
//
// TEST_DATABASE_URL names a server where databases may be created. Without it
// tests are skipped, or fail if CI is set. It may lead through a transaction
// pooler; then TEST_DATABASE_DIRECT_URL leads to the server.
package postgrestest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/lib/pq" // database/sql's "postgres"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/gateway/servicekit/testserver"
)

// Migrate is the migration function of the service under test.
type Migrate func(ctx context.Context, dsn, direction string, w io.Writer) error

// Session is how a service should use the sessions of the test server: as of
// Postgres itself, unless TEST_DATABASE_URL leads through a pooler. A busy machine
// has the time that it needs for each answer.
func Session() postgres.Session {
	return postgres.Session{Direct: os.Getenv("TEST_DATABASE_DIRECT_URL") == "", AnswerTimeout: 10 * time.Second}
}

var template struct {
	once sync.Once
	name string
	err  error
}

// New returns the DSN of a fresh, migrated database.
func New(tb testing.TB, migrate Migrate) string {
	tb.Helper()
	server := testserver.URL(tb, "TEST_DATABASE_URL")
	admin, err := sql.Open("postgres", Direct(server))
	if err != nil {
		tb.Fatal("TEST_DATABASE_URL is no DSN")
	}
	tb.Cleanup(func() { _ = admin.Close() })

	// The template outlives the test that makes it, so its context is its own.
	template.once.Do(func() {
		template.name, template.err = makeTemplate(context.Background(), admin, Direct(server), migrate)
	})
	if template.err != nil {
		tb.Fatalf("template database: %v", template.err)
	}
	name := randomName("test")
	exec(tb, admin, fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s", name, template.name))
	tb.Cleanup(func() { exec(tb, admin, fmt.Sprintf("DROP DATABASE %s WITH (FORCE)", name)) })
	return withDatabase(server, name)
}

// Direct returns the DSN of a database without the pooler: for migrations,
// notifications and sessions.
func Direct(dsn string) string {
	server := os.Getenv("TEST_DATABASE_DIRECT_URL")
	u, err := url.Parse(dsn)
	pooler, poolerErr := url.Parse(os.Getenv("TEST_DATABASE_URL"))
	if server == "" || err != nil || poolerErr != nil || u.Host != pooler.Host {
		return dsn
	}
	return withDatabase(server, strings.TrimPrefix(u.Path, "/"))
}

// Drop removes the template. A test program calls it from TestMain, after its
// tests ran.
func Drop() {
	if template.name == "" {
		return
	}
	admin, err := sql.Open("postgres", Direct(os.Getenv("TEST_DATABASE_URL")))
	if err != nil {
		return
	}
	defer func() { _ = admin.Close() }()
	_, _ = admin.ExecContext(context.Background(), "DROP DATABASE IF EXISTS "+template.name+" WITH (FORCE)")
}

// Main is tests that Drop follows, for testscript.Main.
type Main struct{ *testing.M }

// Run runs the tests and returns the exit code.
func (m Main) Run() int {
	defer Drop()
	return m.M.Run()
}

func makeTemplate(ctx context.Context, admin *sql.DB, server string, migrate Migrate) (string, error) {
	name := randomName("template")
	if _, err := admin.ExecContext(ctx, "CREATE DATABASE "+name); err != nil {
		return "", err
	}
	return name, migrate(ctx, withDatabase(server, name), "up", io.Discard)
}

func exec(tb testing.TB, db *sql.DB, statement string) {
	tb.Helper()
	if _, err := db.ExecContext(context.WithoutCancel(tb.Context()), statement); err != nil {
		tb.Fatalf("%s: %v", statement, err)
	}
}

func randomName(kind string) string {
	return "quayside_" + kind + "_" + strings.ToLower(rand.Text())
}

func withDatabase(server, name string) string {
	u, err := url.Parse(server)
	if err != nil || u.Scheme == "" {
		return server + " dbname=" + name
	}
	u.Path = "/" + name
	return u.String()
}
