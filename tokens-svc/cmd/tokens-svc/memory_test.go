package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
)

// memoryOfOne is how many bytes of memory a request may take, whatever it holds.
const memoryOfOne = 32 << 20

// TestEveryRequestStaysBelowItsMemory measures the program itself, built as it is
// shipped: the most it has ever taken beyond what it takes idle.
func TestEveryRequestStaysBelowItsMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	program := filepath.Join(t.TempDir(), "tokens-svc")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", program,
		".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	dsn := postgrestest.New(t, postgres.Migrate)
	operate(t, dsn, "org", "create", "--name", "Acme", "--id", testOrg)
	secret := operate(t, dsn, "token", "create", "--organization", testOrg, "--name", "ERP", "--permissions", "admin")
	token := "tok_" + strings.Split(secret, "_")[2]
	service := exec.CommandContext(t.Context(), program, "serve")
	service.Env = []string{
		"DATABASE_URL=" + dsn, "LISTEN_ADDRESS=127.0.0.1:0", "INNER_ADDRESS=127.0.0.1:0", "QUAYSIDE_DEMO=true",
		"GATEWAY_CREDENTIAL=" + testCredential, "TOKEN_PEPPERS=" + testPepper,
	}
	log, err := service.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = service.Process.Kill()
		_ = service.Wait()
	})
	addresses := map[string]string{}
	for lines := bufio.NewScanner(log); len(addresses) < 2 && lines.Scan(); {
		var line struct{ Server, Address string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Address != "" {
			addresses[line.Server] = "http://" + line.Address
		}
	}
	go func() { _, _ = io.Copy(io.Discard, log) }()

	identity := http.Header{
		"X-Organization-Id": {testOrg}, "X-Token-Id": {token}, "X-Token-Permissions": {"admin"},
		"Content-Type": {"application/json"},
	}
	gateway := http.Header{"Authorization": {"Bearer " + testCredential}, "Content-Type": {"application/json"}}
	send := func(address, body string, header http.Header) int {
		status, _ := do(t, http.MethodPost, address, body, header)
		return status
	}
	send(addresses["public"]+"/api/v1/tokens", "{}", identity)
	idle := memoryOf(t, service.Process.Pid, "VmRSS")
	for name, body := range map[string]string{
		"elements":    `{"token":{"permissions":[` + strings.Repeat("{},", 21_000) + `{}]}}`,
		"deep":        strings.Repeat("[", 60_000),
		"wide":        `{"a":[` + strings.Repeat("[[[]]],", 9_000) + `[]]}`,
		"long text":   `{"token":{"name":"` + strings.Repeat("x", 60_000) + `"}}`,
		"long number": `{"token":` + strings.Repeat("9", 60_000) + `}`,
		"escapes":     `{"token":{"name":"` + strings.Repeat(`\u00e9`, 10_000) + `"}}`,
		"repeated":    `{` + strings.Repeat(`"a":1,`, 10_000) + `"b":1}`,
		"too large":   `{"a":"` + strings.Repeat("x", 14<<20) + `"}`,
	} {
		for path, header := range map[string]http.Header{
			addresses["public"] + "/api/v1/tokens": identity, addresses["public"] + "/api/v1/token/rotate": identity,
			addresses["inner"] + "/internal/v1/usage": gateway, addresses["inner"] + "/internal/v1/introspect": gateway,
		} {
			if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", service.Process.Pid), []byte("5"), 0o200); err != nil {
				t.Skipf("peak memory cannot be measured here: %v", err)
			}
			status := send(path, body, header)
			used := memoryOf(t, service.Process.Pid, "VmHWM") - idle
			if used > memoryOfOne || status < 400 || status >= 500 || status == http.StatusUnauthorized ||
				status == http.StatusForbidden {
				t.Errorf("%s to %s: %d; %d MiB", name, path, status, used>>20)
			}
		}
	}
}

// memoryOf returns one of the sizes that Linux tells of a process, in bytes.
func memoryOf(t *testing.T, pid int, name string) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), name+":")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		t.Fatalf("there is no %s", name)
	}
	kilobytes, err := strconv.Atoi(fields[0])
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}
