package e2e

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// TestAServiceIsAddedToTheRunningProductByItsFiles runs the commands of add-a-service.md: no program is built again,
// and no other file changes. It restarts tokens-svc, so it is not parallel.
func TestAServiceIsAddedToTheRunningProductByItsFiles(t *testing.T) {
	page, err := os.ReadFile("../../docs/tutorials/add-a-service.md")
	if err != nil {
		t.Fatal(err)
	}
	addresses, err := devstack.FreeAddresses(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	public, inner := addresses[0], addresses[1]
	ports := strings.NewReplacer("127.0.0.1:8083", public, "{$COLDCHAIN_HOST:127.0.0.1}:8083", public, "127.0.0.1:9083",
		inner)
	var steps []string
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(page, -1) {
		steps = append(steps, ports.Replace(string(block[1])))
	}
	if len(steps) != 3 {
		t.Fatalf("the page has %d blocks of commands", len(steps))
	}
	const path = "/api/v1/shipments/ship_1/temperature"
	before := fresh(t, "shipments:read")
	if _, err := stack.CreateToken(t.Context(), stack.Demo.Organization, "temperatures:write"); err == nil {
		t.Error("the permission can be granted before its file exists")
	}

	runSteps(t, steps[0], "")
	eventually(t, "the service", func() bool { return status(t, "http://"+inner+"/readyz", "") == http.StatusOK })
	runSteps(t, steps[1], "")
	routes := filepath.Join(stack.ServicesDir(), "coldchain.caddy")
	text, err := os.ReadFile(routes)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(routes, []byte(ports.Replace(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	administrator := fresh(t, "admin")
	load := func() {
		if err := stack.Program("gateway").Signal(syscall.SIGUSR1); err != nil {
			t.Fatal(err)
		}
		tokens := stack.Program("tokens-svc")
		if err := tokens.Stop(); err != nil {
			t.Fatal(err)
		}
		if err := tokens.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	load()
	token := fresh(t, "temperatures:write")
	eventually(t, "the route", func() bool { return status(t, stack.URL+path, token.Secret) == http.StatusOK })
	for _, path := range []string{path, "/api/v1/shipments", "/api/v1/token"} {
		eventually(t, path+" with admin, which is every permission", func() bool {
			return status(t, stack.URL+path, administrator.Secret) == http.StatusOK
		})
	}
	if out, want := runSteps(t, steps[2], token.Secret), `{"celsius":3.5}{"celsius":3.5}`; out != want {
		t.Errorf("the commands print %s, want %s", out, want)
	}
	for name, c := range map[string]struct {
		method, token, body string
		status              int
		want                string
	}{
		"without a token": {http.MethodGet, "", "", http.StatusUnauthorized, `"code":"missing_token"`},
		"without the permission": {
			http.MethodGet, before.Secret, "", http.StatusForbidden,
			`"code":"insufficient_permission","request_id":"req_`,
		},
		"with a body that is too large": {
			http.MethodPut, token.Secret, strings.Repeat(" ", 1025),
			http.StatusRequestEntityTooLarge, `"code":"body_too_large"`,
		},
		"with a body that is no JSON": {http.MethodPut, token.Secret, "<p>", http.StatusBadRequest, `"code":"invalid_json"`},
	} {
		got, header, body := exchange(t, c.method, stack.URL+path, c.token, c.body)
		if got != c.status || !strings.Contains(body, c.want) || header.Get("X-RateLimit-Limit") != "100" ||
			header.Get("X-Request-ID") == "" {
			t.Errorf("%s: %d %s, %v", name, got, body, header)
		}
	}

	for _, name := range []string{"coldchain.caddy", "coldchain.json"} {
		if err := os.Remove(filepath.Join(stack.ServicesDir(), name)); err != nil {
			t.Error(err)
		}
	}
	load()
	// The path is one of shipments-svc again, and tokens with removed permissions still work.
	eventually(t, "the removal", func() bool { return status(t, stack.URL+path, before.Secret) == http.StatusNotFound })
	eventually(t, "a token with removed permissions reads itself", func() bool {
		return status(t, stack.URL+"/api/v1/token", token.Secret) == http.StatusOK
	})
}

// runSteps runs a block of the page's commands in the repository and returns their output. Background processes end
// with the test.
func runSteps(t *testing.T, commands, token string) string {
	t.Helper()
	services, err := filepath.Abs(stack.ServicesDir())
	if err != nil {
		t.Fatal(err)
	}
	var printed bytes.Buffer
	shell := exec.CommandContext(t.Context(), "sh", "-euc", commands)
	shell.Dir = "../../.."
	shell.Env = append(os.Environ(), "SERVICES="+services, "KEYS="+stack.PublicKeyFile(),
		"QUAYSIDE_URL="+stack.URL, "TOKEN="+token)
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	output, err := os.CreateTemp(t.TempDir(), "output") // with a pipe, Wait would wait for background processes
	if err != nil {
		t.Fatal(err)
	}
	shell.Stdout, shell.Stderr = output, output
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-shell.Process.Pid, syscall.SIGTERM) })
	failed := shell.Wait()
	if _, err := output.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if _, err := printed.ReadFrom(output); err != nil || failed != nil {
		t.Fatalf("%s%v, %v:\n%s", commands, failed, err, &printed)
	}
	return printed.String()
}

func exchange(t *testing.T, method, url, token, body string) (status int, header http.Header, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err.Error()
	}
	defer func() { _ = res.Body.Close() }()
	content, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(content)
}

func status(t *testing.T, url, token string) int {
	t.Helper()
	got, _, _ := exchange(t, http.MethodGet, url, token, "")
	return got
}
