// Package integration tests the gateway as a whole: the program with the shipped Caddyfile, and the Redis, services and
// clients around it.
//
//go:debug multipathtcp=0
package integration

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"

	_ "github.com/quayside/quayside/gateway/internal/caddy/shipped"
	"github.com/quayside/quayside/gateway/internal/environment"
	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
	"github.com/quayside/quayside/gateway/servicekit/testserver"
	"github.com/quayside/quayside/gateway/upstream"
)

// The program under test is the test binary, which runs as the gateway when this variable is set: cmd/gateway has the
// same modules. All tests use this one build, with the race detector if the tests have it.
const becomeGateway = "QUAYSIDE_TEST_BECOME_GATEWAY"

// patience is how long gateways under test wait for Redis, tokens-svc and services, and tests for a response: a busy
// machine delays them.
const patience = 30 * time.Second

// shippedTimeouts makes the gateway of a test wait as the shipped one does.
const shippedTimeouts = "QUAYSIDE_TEST_SHIPPED_TIMEOUTS"

const testCredential = "a-credential-for-tests-that-is-long-enough"

func TestMain(m *testing.M) {
	if os.Getenv(becomeGateway) != "" {
		useNameServer(os.Getenv(nameServerVariable))
		if os.Getenv(shippedTimeouts) == "" {
			ratelimit.Timeout, introspect.Timeout, upstream.DialTimeout = patience, patience, patience
		}
		if err := environment.Prepare(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		caddycmd.Main()
		return
	}
	// Tests wait for time-outs and drains more than they compute, so more of them run at once than there are processors.
	// -parallel on the command line is parsed later and overrides it.
	if err := flag.Set("test.parallel", strconv.Itoa(max(6, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err)
	}
	var err error
	if stateDir, err = os.MkdirTemp("", "quayside-integration-"); err != nil {
		panic(err)
	}
	code := m.Run()
	if !allEnded() {
		code = 1
	}
	_ = os.RemoveAll(stateDir)
	os.Exit(code)
}

// stateDir has the state of each gateway. It is removed when all have ended: a test does not wait for the drain of its
// gateway, which may write until then.
var stateDir string

// gateway is a running gateway with its tokens-svc and its log.
type gateway struct {
	url, inner string
	client     string // the address that raw connections come from
	tokens     *tokensService
	log        *testserver.Log
	process    *os.Process
}

// options are the differences from the default gateway of a test.
type options struct {
	env      map[string]string
	upstream http.Handler
	tokens   *tokensService
}

// start runs a gateway until the test ends. TestMain fails if it exits with an error, such as a data race.
func start(t testing.TB, o options) *gateway {
	t.Helper()
	if o.upstream == nil {
		o.upstream = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
	}
	if o.tokens == nil {
		o.tokens = newTokensService(t)
	}
	service := httptest.NewServer(ready(o.upstream))
	t.Cleanup(service.Close)
	host, port, err := net.SplitHostPort(strings.TrimPrefix(service.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}

	public, inner := freePort(t), freePort(t)
	g := &gateway{
		url:    "http://127.0.0.1:" + public,
		inner:  "http://127.0.0.1:" + inner,
		tokens: o.tokens,
		log:    new(testserver.Log),
		client: newLoopback(t),
	}
	env := map[string]string{
		becomeGateway:           "1",
		"GATEWAY_BIND":          "127.0.0.1",
		"GATEWAY_ADDRESS":       ":" + public,
		"GATEWAY_INNER_ADDRESS": ":" + inner,
		"GATEWAY_CREDENTIAL":    testCredential,
		"GATEWAY_SIGNING_KEY":   testSigningKey(t),
		"TOKENS_INTERNAL_URL":   o.tokens.URL,
		"TOKENS_HOST":           host,
		"TOKENS_PORT":           port,
		"SHIPMENTS_HOST":        host,
		"SHIPMENTS_PORT":        port,
		"TRUSTED_PROXIES":       "127.0.0.1/32 " + g.client + "/32",
		"REDIS_DOWN":            "deny", // so that a request that Redis did not count is visible
	}
	if _, ok := o.env["REDIS_URL"]; !ok {
		env["REDIS_URL"] = redisURL(t)
	}
	maps.Copy(env, o.env)

	g.launch(t, "../Caddyfile", env)
	return g
}

// redisURL returns the address of the Redis of the tests.
func redisURL(tb testing.TB) string {
	tb.Helper()
	return testserver.URL(tb, "TEST_REDIS_URL")
}

// ready is a service that is ready: next does not receive health checks.
func ready(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			next.ServeHTTP(w, r)
		}
	})
}

// launch runs the program with a Caddyfile.
func (g *gateway) launch(t testing.TB, caddyfile string, env map[string]string) {
	t.Helper()
	state, err := os.MkdirTemp(stateDir, "")
	if err != nil {
		t.Fatal(err)
	}
	process := exec.Command(os.Args[0], "run", "--config", caddyfile, "--adapter", "caddyfile")
	process.Env = []string{
		"GORACE=atexit_sleep_ms=0", // all goroutines have ended with the drain
		"HOME=" + state, "XDG_CONFIG_HOME=" + state + "/config", "XDG_DATA_HOME=" + state + "/data",
	}
	for name, value := range env {
		process.Env = append(process.Env, name+"="+value)
	}
	process.Stderr = g.log
	process.Stdout = g.log
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	g.process = process.Process
	ended := make(chan error, 1)
	running.Go(func() {
		err := process.Wait()
		if err != nil {
			failedExits.Store(t.Name(), fmt.Sprintf("%v:\n%s", err, g.log))
		}
		ended <- err
	})
	t.Cleanup(func() { _ = process.Process.Signal(syscall.SIGTERM) })
	g.waitUntilAlive(t, ended)
}

// Gateways drain for two seconds while further tests run. running counts their processes, and failedExits has the
// status and the log of those that did not exit with 0, by test.
var (
	running     sync.WaitGroup
	failedExits sync.Map
)

// allEnded waits for the gateways of all tests, and reports whether every one exited with 0.
func allEnded() bool {
	running.Wait()
	ok := true
	failedExits.Range(func(test, exit any) bool {
		ok = false
		fmt.Fprintf(os.Stderr, "%s: the gateway exited with %s\n", test, exit)
		return true
	})
	return ok
}

func (g *gateway) waitUntilAlive(t testing.TB, ended chan error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			t.Fatalf("the gateway did not start within a minute:\n%s", g.log)
		case err := <-ended:
			ended <- err
			t.Fatalf("the gateway exited at start:\n%s", g.log)
		case <-tick.C:
			if g.listens(t) {
				return
			}
		}
	}
}

// listens reports whether the inner and the public listener work: Caddy starts them one after another, in any order.
func (g *gateway) listens(t testing.TB) bool {
	t.Helper()
	response, err := http.Get(g.inner + "/livez")
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(g.url, "http://"))
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

// reload reloads the configuration of the gateway.
func (g *gateway) reload(t *testing.T) {
	t.Helper()
	const done = "successfully reloaded config from file"
	before := strings.Count(g.log.String(), done)
	if err := g.process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return strings.Count(g.log.String(), done) > before }, "reload", g.log)
}
