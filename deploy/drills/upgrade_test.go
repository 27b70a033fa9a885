package main

import (
	"bytes"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// TestThePreviousVersionRunsOnTheNewSchema, and the new version on the previous
// schema is not ready until that is migrated, and then without a restart.
func TestThePreviousVersionRunsOnTheNewSchema(t *testing.T) {
	t.Parallel()
	old := startPrevious(t)
	root, err := devstack.FindRoot()
	if err != nil {
		t.Fatal(err)
	}
	bin, err := devstack.Build(t.Context(), root, false)
	if err != nil {
		t.Fatal(err)
	}

	// The new version on databases of the previous one.
	server := connect(t, old.dsn("postgres"))
	for _, name := range []string{"tokens", "shipments"} {
		execute(t, server, "CREATE DATABASE "+name+"_old")
		old.migrate(t, old.bin(), name, name+"_old")
		program := name + "-svc"
		inner := freeAddress(t)
		var log bytes.Buffer
		serve := exec.CommandContext(t.Context(), filepath.Join(bin, program), "serve")
		serve.Env = slices.Concat(old.environ, []string{
			"DATABASE_URL=" + old.dsn(name+"_old"), "DATABASE_DIRECT_URL=", "LISTEN_ADDRESS=" + freeAddress(t), "INNER_ADDRESS=" + inner,
			"WEBHOOK_KEYS=1:" + strings.Repeat("A", 43) + "=",
			"DOCUMENTS_DIR=" + filepath.Join(tempDir(t), "documents"), "QUAYSIDE_DEMO=true",
		})
		serve.Stdout, serve.Stderr = &log, &log
		serve.Cancel = func() error { return serve.Process.Signal(syscall.SIGTERM) }
		if err := serve.Start(); err != nil {
			t.Fatal(err)
		}
		ready := func(want int) {
			t.Helper()
			for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) { // a poll
				status, text := get(t, "http://"+inner+"/readyz")
				if status == want {
					return
				}
				if time.Now().After(deadline) {
					t.Fatalf("%s: /readyz is %d %s, want %d\n%s", program, status, text, want, &log)
				}
			}
		}
		ready(http.StatusServiceUnavailable)
		old.migrate(t, bin, name, name+"_old")
		ready(http.StatusOK)
	}

	// The previous version on databases that were migrated while it serves.
	before := old.serves(t, "on its own schema")
	for _, name := range []string{"tokens", "shipments"} {
		old.migrate(t, bin, name, name)
	}
	after := old.serves(t, "on the new schema")
	for _, token := range []string{before, after} {
		check := exec.CommandContext(t.Context(), filepath.Join(bin, "tokens-svc"), "token", "check")
		check.Env, check.Stdin = old.environ, strings.NewReader(token)
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("the new version refuses a token of the previous one: %v\n%s", err, out)
		}
	}
}

func get(t *testing.T, url string) (status int, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error() // it does not listen yet
	}
	defer func() { _ = res.Body.Close() }()
	content, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(content)
}

func freeAddress(t *testing.T) string {
	t.Helper()
	addresses, err := devstack.FreeAddresses(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return addresses[0]
}
