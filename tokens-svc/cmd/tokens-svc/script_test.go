package main

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
)

// Configuration of the programs in the tests.
const (
	testPepper     = "1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	newerPepper    = "2:HxseHRwbGhkYFxYVFBMSERAPDg0MCwoJCAcGBQQDAgE="
	testCredential = "0123456789abcdef0123456789abcdef"
)

func TestMain(m *testing.M) {
	testscript.Main(postgrestest.Main{M: m}, map[string]func(){"tokens-svc": main})
}

// TestScripts runs the real command line, each script on a database of its own.
// Beside testscript's commands a script has
//
//	sql STATEMENT      changes the database behind the program's back
//	setenv NAME FILE   sets a variable to a file's content
func TestScripts(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d scripts, %v", len(scripts), err)
	}
	for _, script := range scripts {
		t.Run(filepath.Base(script), func(t *testing.T) {
			t.Parallel()
			dsn := postgrestest.New(t, postgres.Migrate)
			testscript.Run(t, testscript.Params{
				Files:               []string{script},
				RequireExplicitExec: true,
				RequireUniqueNames:  true,
				Setup: func(env *testscript.Env) error {
					env.Setenv("DATABASE_URL", dsn)
					env.Setenv("TOKEN_PEPPERS", testPepper)
					env.Setenv("QUAYSIDE_OPERATOR", "pat")
					env.Setenv("NEWER_PEPPER", newerPepper)
					return nil
				},
				Cmds: map[string]func(*testscript.TestScript, bool, []string){"sql": execSQL, "setenv": setenv},
			})
		})
	}
}

func execSQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sql STATEMENT")
	}
	db, err := sql.Open("postgres", ts.Getenv("DATABASE_URL"))
	ts.Check(err)
	defer func() { _ = db.Close() }()
	_, err = db.Exec(args[0])
	ts.Check(err)
}

func setenv(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: setenv NAME FILE")
	}
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile(args[1])))
}
