package integration

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// furtherService starts a service and returns its address, for a file of routes.
func furtherService(t *testing.T, service http.Handler) string {
	t.Helper()
	s := httptest.NewServer(ready(service))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// headersSeen is a service that keeps the headers of its requests.
type headersSeen struct {
	mu  sync.Mutex
	all []http.Header
}

func (s *headersSeen) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, r.Header)
}

func (s *headersSeen) take() []http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.all = nil }()
	return s.all
}

// addRoutes writes a file of routes into dir and makes the gateway read it.
func (g *gateway) addRoutes(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "further.caddy"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g.reload(t)
}

// A reload adds the routes of a further service to a running gateway: also below a path of a shipped service, behind the
// gate, and without a token only on the paths of handle_public.
func TestAReloadAddsTheRoutesOfAService(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	g := start(t, options{env: map[string]string{"SERVICE_ROUTES": dir + "/*.caddy"}})
	token, id := g.tokens.create(plenty)
	const readings, document = "/api/v1/shipments/ship_1/temperatures", "/api/v1/openapi/further.json"
	if a := g.get(t, document, newCaller(t), ""); a.StatusCode != http.StatusUnauthorized {
		t.Errorf("before: %s", a.Status)
	}

	visits := new(headersSeen)
	g.addRoutes(t, dir, fmt.Sprintf(`
handle_public %[2]s {
	import service further %[1]s 1MiB
}
handle_pages /further/* {
	import service further %[1]s 1MiB
}
@readings path /api/v1/shipments/*/temperatures
handle @readings {
	import service further %[1]s 10B
}
`, furtherService(t, visits), document))

	if a := g.get(t, readings, newCaller(t), ""); a.StatusCode != http.StatusUnauthorized || a.problem(t)["code"] != "missing_token" {
		t.Errorf("without a token: %s", a.Status)
	}
	if n := len(visits.take()); n != 0 {
		t.Errorf("%d requests without a token were forwarded", n)
	}
	request := g.request(t, readings, "", token)
	request.Header.Set("X-Token-ID", "forged")
	request.Header.Set("Cookie", "a=b")
	if a := g.once(t, request); a.StatusCode != http.StatusOK || a.Header.Get("X-RateLimit-Limit") == "" {
		t.Errorf("%s, %v", a.Status, a.Header)
	}
	if seen := visits.take(); len(seen) != 1 || seen[0].Get("X-Token-ID") != id || seen[0].Get("X-Gateway-Assertion") == "" || seen[0].Get("Cookie") != "" {
		t.Errorf("forwarded: %v", seen)
	}
	request = g.request(t, readings, "", token)
	request.Method, request.ContentLength = http.MethodPost, 11
	request.Body = io.NopCloser(strings.NewReader("12345678901"))
	if a := g.once(t, request); a.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a body that is too large: %s", a.Status)
	}
	_ = visits.take()
	if a := g.get(t, document, newCaller(t), ""); a.StatusCode != http.StatusOK || a.Header.Get("RateLimit-Policy") != `"public";q=600;w=60` {
		t.Errorf("the public document: %s, %v", a.Status, a.Header)
	}
	request = g.request(t, "/further/page", newCaller(t), "")
	request.Header.Set("Cookie", "a=b")
	if a := g.once(t, request); a.StatusCode != http.StatusOK || a.Header.Get("RateLimit-Policy") != `"page";q=600;w=60` {
		t.Errorf("the page: %s, %v", a.Status, a.Header)
	}
	if all := visits.take(); len(all) != 2 || all[1].Get("Cookie") != "a=b" {
		t.Errorf("forwarded: %v", all)
	}
	if a := g.get(t, "/api/v1/shipments/ship_1", newCaller(t), token); a.StatusCode != http.StatusOK || len(visits.take()) != 0 {
		t.Errorf("a shipped path: %s", a.Status)
	}
}

// The limits of a route are enforced with 429: the window of the organization, the cost of a request, and the requests
// in flight. Every other response has the headers of the token's window.
func TestLimitsOfARoute(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	g := start(t, options{env: map[string]string{"SERVICE_ROUTES": dir + "/*.caddy"}})
	began, finish := make(chan struct{}), make(chan struct{})
	name := fmt.Sprintf("further-%d", rand.Uint32())
	g.addRoutes(t, dir, fmt.Sprintf(`
handle /api/v1/further/* {
	@writes method POST
	limits @writes %[2]s-writes {
		organization 5 1h
	}
	@costly path /api/v1/further/costly
	limits @costly %[2]s-costly {
		cost 40
		token 1000 1h
	}
	@slow path /api/v1/further/slow
	limits @slow %[2]s-slow {
		concurrent 1
	}
	import service further %[1]s 1MiB {
		answer_within 20s
	}
}
`, furtherService(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/v1/further/slow" {
			began <- struct{}{}
			<-finish
		}
	})), name))
	send := func(method, path, token string) answer {
		request := g.request(t, "/api/v1/further/"+path, "", token)
		request.Method = method
		return g.once(t, request)
	}

	a, _ := g.tokens.create("")
	b, _ := g.tokens.create("")
	for n := range 5 {
		if got := send(http.MethodPost, "x", []string{a, b}[n%2]); got.StatusCode != http.StatusOK || got.Header.Get("X-RateLimit-Limit") != "100" {
			t.Errorf("write %d: %s, %v", n, got.Status, got.Header)
		}
	}
	refused := send(http.MethodPost, "x", b)
	if refused.StatusCode != http.StatusTooManyRequests || refused.problem(t)["code"] != "rate_limited" || refused.Header.Get("Retry-After") == "" ||
		refused.Header.Get("RateLimit-Policy") != `"`+name+`-writes";q=5;w=3600` || refused.Header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("%s, %v", refused.Status, refused.Header)
	}
	if got := send(http.MethodGet, "x", b); got.StatusCode != http.StatusOK || got.Header.Get("X-RateLimit-Limit") != "100" {
		t.Errorf("another method: %s, %v", got.Status, got.Header)
	}

	c, _ := g.tokens.create("")
	for secondsLeft(t, send(http.MethodGet, "x", c)) < 20 { // all in one window
		c, _ = g.tokens.create("")
	}
	for _, step := range []struct {
		path, remaining string
		status          int
	}{
		{"costly", "59", http.StatusOK},
		{"costly", "19", http.StatusOK},
		{"costly", "18", http.StatusTooManyRequests},
		{"x", "17", http.StatusOK},
	} {
		got := send(http.MethodGet, step.path, c)
		if got.StatusCode != step.status || got.Header.Get("X-RateLimit-Remaining") != step.remaining || got.Header.Get("X-RateLimit-Limit") != "100" {
			t.Errorf("%+v: %s, %v", step, got.Status, got.Header)
		}
	}

	low, _ := g.tokens.create(`,"rate_limit":{"limit":39,"window_seconds":60}`)
	// It can never succeed, so there is no Retry-After.
	if got := send(http.MethodGet, "costly", low); got.StatusCode != http.StatusForbidden || got.problem(t)["code"] != "limit_too_low" || got.Header.Get("Retry-After") != "" || got.Header.Get("X-RateLimit-Remaining") != "38" {
		t.Errorf("a cost above the token's limit: %s, %v", got.Status, got.Header)
	}

	first := make(chan answer, 1)
	go func() { first <- send(http.MethodGet, "slow", a) }()
	<-began
	if got := send(http.MethodGet, "slow", b); got.StatusCode != http.StatusTooManyRequests || got.problem(t)["code"] != "concurrency_limited" || got.Header.Get("Retry-After") != "1" {
		t.Errorf("a second request in flight: %s, %v", got.Status, got.Header)
	}
	finish <- struct{}{}
	if got := <-first; got.StatusCode != http.StatusOK {
		t.Errorf("the first: %s", got.Status)
	}
	go func() { <-began; finish <- struct{}{} }()
	if got := send(http.MethodGet, "slow", b); got.StatusCode != http.StatusOK {
		t.Errorf("after its end: %s", got.Status)
	}
}

// The gateway does not load a file with routes on paths that are taken, or with two on one path.
func TestRoutesOnTakenPathsAreRefused(t *testing.T) {
	t.Parallel()

	for routes, want := range map[string]string{
		`handle_public /docs/further {`:            "/docs/* and /docs/further",
		`handle_public /d* {`:                      "/docs and /d*",
		`handle_pages / {`:                         "/ and /",
		`handle /docs/further {`:                   "/docs/further is never reached: a route before it takes /docs/*",
		"handle /api/v1/* {":                       "/api/v1/shipments is never reached",
		"handle /api/v1/shipments/*/documents/* {": "is never reached",
		"handle /a {\nrespond a\n}\nhandle /a {":   "2 routes for /a",
	} {
		file := filepath.Join(t.TempDir(), "further.caddy")
		if err := os.WriteFile(file, []byte(routes+"\n\timport service further 127.0.0.1:1 1MiB\n}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if output, accepted := validate(t, "SERVICE_ROUTES="+file); accepted || !strings.Contains(output, want) {
			t.Errorf("%s: accepted: %t, want %q in\n%s", routes, accepted, want, output)
		}
	}
}
