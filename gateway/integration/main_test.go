// Package integration tests the gateway as a whole: the program with the shipped Caddyfile, and the Redis, services and
// clients around it.
//
//go:debug multipathtcp=0
package integration

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"

	_ "github.com/quayside/quayside/gateway"
	"github.com/quayside/quayside/gateway/internal/redistest"
	_ "github.com/quayside/quayside/gateway/internal/stock"
)

// The program under test is the test binary itself, which runs as the gateway when this variable is set: cmd/gateway
// has the same modules. So one build, with the race detector if the tests have it, serves all tests.
const becomeGateway = "QUAYSIDE_TEST_BECOME_GATEWAY"

const testCredential = "a-credential-that-only-tests-know-of"

func TestMain(m *testing.M) {
	if os.Getenv(becomeGateway) != "" {
		useNameServer(os.Getenv(nameServerVariable))
		caddycmd.Main()
		return
	}
	// Tests wait for time-outs and drains more than they compute, so more of them run at once than there are processors.
	// The command line's -parallel is parsed later, and wins.
	if err := flag.Set("test.parallel", strconv.Itoa(max(4, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err)
	}
	code := m.Run()
	if !allEnded() {
		code = 1
	}
	os.Exit(code)
}

// gateway is a running gateway with its surroundings.
type gateway struct {
	url, inner string
	client     string // the address that raw connections come from
	tokens     *tokensService
	log        *lockedBuffer
	process    *os.Process
	noRedis    bool // the test gave an address of its own
}

// options says what differs from an ordinary gateway.
type options struct {
	env      map[string]string
	upstream http.Handler
	tokens   *tokensService
	public   string // the port of the public listener; empty: a free one
}

// start runs a gateway until the test ends, and fails the test if it does not end well, which includes
// data races found in it.
func start(t testing.TB, o options) *gateway {
	t.Helper()
	if o.upstream == nil {
		o.upstream = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
	}
	if o.tokens == nil {
		o.tokens = newTokensService(t)
	}
	upstream := httptest.NewServer(ready(o.upstream))
	t.Cleanup(upstream.Close)
	host, port, err := net.SplitHostPort(strings.TrimPrefix(upstream.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}

	public, inner := cmp.Or(o.public, freePort(t)), freePort(t)
	g := &gateway{
		url:    "http://127.0.0.1:" + public,
		inner:  "http://127.0.0.1:" + inner,
		tokens: o.tokens,
		log:    new(lockedBuffer),
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
		"REDIS_DOWN":            "deny", // so that a Redis too busy to answer is seen
		"XDG_CONFIG_HOME":       t.TempDir(),
		"XDG_DATA_HOME":         t.TempDir(),
		"HOME":                  t.TempDir(),
	}
	if _, g.noRedis = o.env["REDIS_URL"]; !g.noRedis {
		env["REDIS_URL"] = redistest.URL(t)
	}
	maps.Copy(env, o.env)

	g.launch(t, "../Caddyfile", env)
	return g
}

// dial opens a connection from the address that this gateway's test has for itself: all gateways count in one Redis, and
// the window of 127.0.0.1 would be used up by other tests.
func (g *gateway) dial() (net.Conn, error) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(g.client)}}
	return dialer.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
}

// ready is a service that is ready: health checks are not seen by next.
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
	process := exec.Command(os.Args[0], "run", "--config", caddyfile, "--adapter", "caddyfile")
	process.Env = []string{"GORACE=atexit_sleep_ms=0"} // all goroutines have ended with the drain
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
		fmt.Fprintf(os.Stderr, "%s: the gateway ended with %s\n", test, exit)
		return true
	})
	return ok
}

// logOf returns the log once it tells of that many requests: an answer is there before its line is.
func (g *gateway) logOf(t testing.TB, requests int) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		log := g.log.String()
		if strings.Count(log, `"http.log.access"`) >= requests {
			return log
		}
		select {
		case <-ctx.Done():
			t.Fatalf("the log tells of less than %d requests:\n%s", requests, log)
		case <-tick.C:
		}
	}
}

func (g *gateway) waitUntilAlive(t testing.TB, ended chan error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			t.Fatalf("the gateway does not come up:\n%s", g.log)
		case err := <-ended:
			ended <- err
			t.Fatalf("the gateway ended at start:\n%s", g.log)
		case <-tick.C:
			if g.listens(t) {
				return
			}
		}
	}
}

// listens reports whether the gateway answers and listens for clients, too: Caddy starts one server after the
// other, in any order.
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

// reload makes the gateway read its configuration again.
func (g *gateway) reload(t *testing.T) {
	t.Helper()
	const done = "successfully reloaded config from file"
	before := strings.Count(g.log.String(), done)
	if err := g.process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return strings.Count(g.log.String(), done) > before }, "reload", g.log)
}

func (g *gateway) waitForLog(t *testing.T, text string) {
	t.Helper()
	eventually(t, func() bool { return strings.Contains(g.log.String(), text) }, text, g.log)
}

// eventually waits for what must become true, and fails with the log otherwise.
func eventually(t *testing.T, ok func() bool, what string, log *lockedBuffer) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("not yet: %s; the log:\n%s", what, log)
		case <-tick.C:
		}
	}
}

// metrics returns what /metrics says.
func (g *gateway) metrics(t *testing.T) string {
	t.Helper()
	response, err := http.Get(g.inner + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// answer is one response, read whole.
type answer struct {
	*http.Response

	body string
}

// problem decodes a problem+json body.
func (a answer) problem(t *testing.T) map[string]any {
	t.Helper()
	if got := a.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("Content-Type %q", got)
	}
	var members map[string]any
	if err := json.Unmarshal([]byte(a.body), &members); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
	return members
}

// request makes a GET from caller, a client address of the test's own, with token unless it is empty.
func (g *gateway) request(t *testing.T, path, caller, token string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.url+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Forwarded-For", caller)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	return request
}

// do sends a request that request made. On a machine too busy for Redis to answer within 50 ms the answer
// may be 503 for that alone; then do tries again, unless the test is about Redis.
func (g *gateway) do(t *testing.T, request *http.Request) answer {
	t.Helper()
	for range 100 {
		if a := g.once(t, request); g.noRedis || !a.disturbed() {
			return a
		}
		<-time.After(50 * time.Millisecond) // Redis is left alone for a second
	}
	t.Fatal("Redis is too slow for any test")
	return answer{}
}

// disturbed reports whether a is the answer to a request that could not be counted.
func (a answer) disturbed() bool {
	return a.StatusCode == http.StatusServiceUnavailable && strings.Contains(a.body, `"limiter_unavailable"`)
}

// disturbed reports whether Redis ever answered too late, after which counts may be off.
func (g *gateway) disturbed() bool {
	return strings.Contains(g.log.String(), "rate limiter fails")
}

// undisturbed runs round, a test of exact counts, until it reports that Redis answered in time throughout.
// A request that Redis answered too late is refused and may have been counted, which is never one too many
// but spoils the count.
func undisturbed(t *testing.T, round func() bool) {
	t.Helper()
	for range 10 {
		if round() {
			return
		}
		<-time.After(300 * time.Millisecond) // a Redis that was too slow is left alone for a second
	}
	t.Error("Redis was too slow in every round")
}

// once sends a request that request made, once.
func (g *gateway) once(t *testing.T, request *http.Request) answer {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatalf("%v; the gateway's log:\n%s", err, g.log)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response, string(body)}
}

// get is the commonest request.
func (g *gateway) get(t *testing.T, path, caller, token string) answer {
	t.Helper()
	return g.do(t, g.request(t, path, caller, token))
}

// getToKnow makes the gateway remember token. On a busy machine its first question about a token may be answered
// too late, and the request with 503.
func (g *gateway) getToKnow(t *testing.T, token string) (requests int) {
	t.Helper()
	eventually(t, func() bool {
		requests++
		return g.once(t, g.request(t, "/api/v1/shipments", newCaller(t), token)).StatusCode == http.StatusOK
	}, "a token that is known", g.log)
	return requests
}

// newToken returns a well-formed token that nobody knows, and its id.
func newToken() (token, id string) { return newTokenWithPrefix("shpt") }

func newTokenWithPrefix(prefix string) (token, id string) {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	id = rand.Text()[:12]
	token = prefix + "_live_" + id + "_" + rand.Text() + "000000"
	sum := crc32.ChecksumIEEE([]byte(token))
	checksum := make([]byte, 6)
	for i := 5; i >= 0; i-- {
		checksum[i] = digits[sum%62]
		sum /= 62
	}
	return token + string(checksum), "tok_" + id
}

// newCaller returns a client address that no other test uses.
func newCaller(t testing.TB) string {
	t.Helper()
	n, err := rand.Int(rand.Reader, big.NewInt(1<<48))
	if err != nil {
		t.Fatal(err)
	}
	v := n.Uint64()
	return fmt.Sprintf("2001:db8:%x:%x::1", v>>16&0xffff, v&0xffff)
}

// freePort returns a port that nothing listens on. Caddy shares a port with whoever else listens on it, so two
// gateways must never be given the same, not even by two runs of these tests at once: the UDP port of that number
// is reserved until the process exits.
func freePort(t testing.TB) string {
	t.Helper()
	for range 1000 {
		port := strconv.Itoa(int(lastPort.Add(1)))
		sign, err := net.ListenPacket("udp", "127.0.0.1:"+port)
		if err != nil {
			continue
		}
		if listener, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			_ = listener.Close()
			reserved.Store(port, sign)
			return port
		}
		_ = sign.Close()
	}
	t.Fatal("no free port")
	return ""
}

// lastPort is the port that freePort tried last, out of those that the system gives to no outgoing connection; reserved
// holds the UDP sockets of those that it returned.
var (
	lastPort atomic.Int32
	reserved sync.Map
)

func init() { lastPort.Store(10000 + mathrand.Int32N(8000)) }

// lockedBuffer collects a process's output.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
