package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestTheTypeScriptClientRepeatsAndPages(t *testing.T) {
	t.Parallel()
	run := consumer(t, "typescript")
	run("npm", "ci", "--prefix", "source", "--ignore-scripts", "--no-audit", "--no-fund")
	run("npm", "pack", "./source")
	run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "./quayside-client-0.0.0.tgz")
	run("source/node_modules/.bin/tsc", "--strict", "--target", "es2022", "--module", "nodenext",
		"--lib", "es2022,dom,dom.iterable", "consumer.ts")
	if got := run("node", "consumer.js"); got != "TS-3 TS-2 TS-1\nan address without https://\n404" {
		t.Errorf("got %s", got)
	}
}

func TestThePythonClientRepeatsAndPages(t *testing.T) {
	t.Parallel()
	run := consumer(t, "python")
	run("/usr/bin/python3", "-m", "pip", "wheel", "--no-deps", "--no-index", "--no-build-isolation", "./source")
	run("/usr/bin/python3", "-m", "venv", "venv")
	run("venv/bin/pip", "install", "--no-index", "quayside_client-0.0.0-py3-none-any.whl")
	if mypy, err := exec.LookPath("mypy"); err == nil {
		run(mypy, "--strict", "source/quayside_client")
		run(mypy, "--strict", "--python-executable", "venv/bin/python", "consumer.py")
	}
	want := "PY-3 PY-2 PY-1\nan address without https://\n400 invalid_parameter"
	if got := run("venv/bin/python", "consumer.py"); got != want {
		t.Errorf("got %s", got)
	}
}

// consumer copies a client and a program that uses it, and returns what runs a command beside them, for which every
// second request to the gateway fails.
func consumer(t *testing.T, client string) func(command ...string) string {
	t.Helper()
	if os.Getenv("CI") == "" {
		t.Skip("installs packages: set CI")
	}
	gateway, err := url.Parse(stack.URL)
	if err != nil {
		t.Fatal(err)
	}
	var requests atomic.Int64
	until := sync.OnceValue(func() time.Time { return time.Now().Truncate(time.Second).Add(3 * time.Second) })
	proxy := httputil.NewSingleHostReverseProxy(gateway)
	flaky := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n := requests.Add(1); {
		case n == 1:
			w.Header().Set("Retry-After", until().UTC().Format(http.TimeFormat))
			w.WriteHeader(http.StatusServiceUnavailable)
		case n%2 == 0:
			if time.Until(until()) > time.Second/2 {
				t.Error("repeated before the date of Retry-After")
			}
			proxy.ServeHTTP(w, r)
		case n%4 == 1:
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
		default: // the request takes effect, and its response is lost
			proxy.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
	}))
	t.Cleanup(flaky.Close)

	dir, token := t.TempDir(), fresh(t, "shipments:write").Secret
	for source, target := range map[string]string{"../../client/" + client: "source", "testdata/clients": "."} {
		if err := os.CopyFS(filepath.Join(dir, target), os.DirFS(source)); err != nil {
			t.Fatal(err)
		}
	}
	return func(command ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "QUAYSIDE_URL="+flaky.URL, "QUAYSIDE_TOKEN="+token)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
		return strings.TrimSpace(string(out))
	}
}
