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
	Secrets map[string]struct{ File string }
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
	failing := "#!/bin/sh\n[ $1 != genpkey ] && exec " + tool(t, "openssl") + " \"$@\"\n"
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

func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
