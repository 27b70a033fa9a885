// Package compose_test checks docker-compose.yml and the files beside it
// without a Docker engine.
package compose_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const root = "../.."

type project struct {
	Secrets  map[string]struct{ File string }
	Services map[string]service
}

type service struct {
	Image       string
	Build       struct{ Target string }
	PullPolicy  string `yaml:"pull_policy"`
	Environment map[string]string
	Command     any
	DependsOn   any `yaml:"depends_on"` // names, or conditions by name
}

func read(t *testing.T, path string) (p project) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &p); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return p
}

// Old releases of Compose build or pull in the order of the dependencies, so the first service builds its image. None
// is pulled from a registry unasked.
func TestEachImageIsBuiltOnceAndPulledOnlyIfAsked(t *testing.T) {
	t.Parallel()
	builders := map[string]string{
		"gateway": "gateway", "shipments-svc": "shipments-migrate", "tokens-svc": "tokens-migrate",
	}
	for name, s := range read(t, "docker-compose.yml").Services {
		program, ours := strings.CutPrefix(s.Image, "${QUAYSIDE_IMAGES:-ghcr.io/quayside}/")
		program, _, _ = strings.Cut(program, ":")
		want := service{PullPolicy: "never"}
		if builders[program] == name {
			want.Build.Target, want.PullPolicy = program, "${QUAYSIDE_PULL_POLICY:-build}"
		}
		if ours && (s.Build != want.Build || s.PullPolicy != want.PullPolicy) {
			t.Errorf("%s: build %q, pull_policy %q", name, s.Build.Target, s.PullPolicy)
		}
	}
}

// Its client programs and its archive are of the server's version.
func TestTheImagesHaveTheServersPostgres(t *testing.T) {
	t.Parallel()
	_, version, _ := strings.Cut(read(t, "docker-compose.yml").Services["postgres"].Image, ":")
	text, err := os.ReadFile(filepath.Join(root, "deploy/Dockerfile"))
	if err != nil || !strings.Contains(string(text), "\nARG POSTGRES="+version+"\n") {
		t.Errorf("the Dockerfile has another POSTGRES than %s (%v)", version, err)
	}
}

func TestTheDemoWaitsForItsTablesAndFollowsThePort(t *testing.T) {
	t.Parallel()
	services := read(t, "docker-compose.yml").Services
	const url = "http://localhost:${QUAYSIDE_PORT:-8080}"
	demo := services["demo"]
	if _, waits := demo.DependsOn.(map[string]any)["tokens-migrate"]; !waits {
		t.Errorf("demo depends on %v", demo.DependsOn)
	}
	if command := demo.Command.([]any); command[len(command)-1] != url {
		t.Errorf("demo: %v", command)
	}
	if got := services["tokens-svc"].Environment["PUBLIC_URL"]; got != url {
		t.Errorf("tokens-svc: %s", got)
	}
}

func TestDemoAndNewSecretsAreThoseThatComposeMounts(t *testing.T) {
	t.Parallel()
	fresh := filepath.Join(t.TempDir(), "secrets")
	if out, err := exec.CommandContext(t.Context(), "./secrets.sh", fresh).CombinedOutput(); err != nil {
		t.Fatalf("secrets.sh: %v: %s", err, out)
	}
	if exec.CommandContext(t.Context(), "./secrets.sh", fresh).Run() == nil {
		t.Error("secrets.sh overwrites secrets")
	}
	var want []string
	for name, secret := range read(t, "docker-compose.yml").Secrets {
		if strings.HasPrefix(secret.File, "${QUAYSIDE_SECRETS:-") {
			want = append(want, name)
		}
	}
	want = slices.AppendSeq(want, maps.Keys(read(t, "deploy/compose/pgbouncer.yml").Secrets))
	slices.Sort(want)
	for _, dir := range []string{"demo", fresh} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var have []string
		for _, e := range entries {
			have = append(have, e.Name())
		}
		if !slices.Equal(have, want) {
			t.Errorf("%s has %q, want %q", dir, have, want)
		}
	}
}

func TestSecretsThatWereNotAllWrittenLeaveNoFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Fatal(err)
	}
	failing := "#!/bin/sh\n[ $1 != genpkey ] && exec " + openssl + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "openssl"), []byte(failing), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "./secrets.sh", filepath.Join(dir, "secrets"))
	cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if left, _ := filepath.Glob(filepath.Join(dir, "secrets*")); err == nil || len(left) > 0 {
		t.Errorf("%v, left %q: %s", err, left, out)
	}
}
