// Package release tests what a release publishes beside its archives: the modules that others import.
package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestModulesOfATagBuildForStrangers: what RELEASING.md says of the tags, with a local clone in place of GitHub and the
// tags on HEAD.
func TestModulesOfATagBuildForStrangers(t *testing.T) {
	t.Parallel()
	if os.Getenv("CI") == "" {
		t.Skip("builds a second Caddy: set CI")
	}
	dir := t.TempDir()
	run := func(folder string, command ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOPRIVATE=github.com/quayside/quayside", "GOBIN="+dir,
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://"+dir+"/clone.insteadOf",
			"GIT_CONFIG_VALUE_0=https://github.com/quayside/quayside")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("../..", "git", "clone", "--quiet", "--bare", ".", dir+"/clone")
	// A version is a commit's for ever in the module cache.
	version := "v1.0.0-test." + run("../..", "git", "rev-parse", "--short=12", "HEAD")
	for _, module := range []string{"gateway", "deploy/client"} {
		run(dir+"/clone", "git", "tag", module+"/"+version)
	}

	const repository = "github.com/quayside/quayside/"
	run(dir, "go", "install", repository+"gateway/cmd/gateway@"+version)
	if got := run(dir, dir+"/gateway", "list-modules"); !strings.Contains(got, "http.handlers.token_gate") {
		t.Error(got)
	}
	run(dir, "go", "run", "github.com/caddyserver/xcaddy/cmd/xcaddy@v0.4.5", "build", "v2.11.9",
		"--with", repository+"gateway/tokengate@"+version, "--with", repository+"gateway@"+version, "--output", dir+"/caddy")
	if got := run(dir, dir+"/caddy", "list-modules"); !strings.Contains(got, "http.handlers.token_gate") {
		t.Error(got)
	}

	service := filepath.Join(dir, "service")
	if err := os.Mkdir(service, 0o700); err != nil {
		t.Fatal(err)
	}
	run(service, "go", "mod", "init", "example.com/service")
	for _, path := range []string{"gateway/servicekit", "deploy/client"} {
		run(service, "go", "get", repository+path+"@"+version)
		run(service, "go", "build", repository+path)
	}
	if got := run(service, "go", "list", "-deps", repository+"gateway/servicekit"); strings.Contains(got, "caddyserver") {
		t.Error("servicekit needs Caddy")
	}
}
