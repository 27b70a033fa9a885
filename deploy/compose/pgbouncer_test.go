package compose_test

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestOnlyRequestsGoThroughPgBouncer: migrations and listening for changes keep a
// session, so they connect to Postgres.
func TestOnlyRequestsGoThroughPgBouncer(t *testing.T) {
	t.Parallel()
	base, pooled := read(t, "docker-compose.yml").Services, read(t, "deploy/compose/pgbouncer.yml").Services
	for _, name := range []string{"tokens", "shipments"} {
		s := pooled[name+"-svc"]
		if got := s.Environment["DATABASE_URL_FILE"]; got != "/run/secrets/"+name+"_pooled_url" || !slices.Contains(s.Secrets, name+"_pooled_url") {
			t.Errorf("%s: requests use %s, and there are %q", name, got, s.Secrets)
		}
		if got := s.Environment["DATABASE_DIRECT_URL_FILE"]; got != base[name+"-svc"].Environment["DATABASE_URL_FILE"] {
			t.Errorf("%s: the direct connection is %s", name, got)
		}
		if network := name + "-postgres"; !slices.Contains(pooled["pgbouncer"].Networks, network) || !slices.Contains(base[name+"-svc"].Networks, network) {
			t.Errorf("%s does not reach PgBouncer", name)
		}
	}
}

// TestPgBouncerIsConfiguredAsTested compares it with the PgBouncer that the tests of
// the repositories run through.
func TestPgBouncerIsConfiguredAsTested(t *testing.T) {
	t.Parallel()
	ini, err := os.ReadFile("pgbouncer.ini")
	if err != nil {
		t.Fatal(err)
	}
	tested, err := os.ReadFile("../test/devstack/pgbouncer.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, setting := range []string{"pool_mode", "default_pool_size", "ignore_startup_parameters"} {
		line := regexp.MustCompile(`(?m)^` + setting + ` = .+$`)
		if got, want := line.Find(ini), line.Find(tested); want == nil || string(got) != string(want) {
			t.Errorf("%q, tested with %q", got, want)
		}
	}
	if !regexp.MustCompile(`(?m)^max_prepared_statements = [1-9]`).Match(ini) {
		t.Error("statements cannot be prepared")
	}
}
