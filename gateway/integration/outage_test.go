package integration

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

func TestWithoutTheTokensServiceTokensGet503AndNever401(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	known, _ := g.tokens.create("")
	if a := g.get(t, "/api/v1/shipments", newCaller(t), known); a.StatusCode != http.StatusOK {
		t.Fatal(a.Status)
	}
	for _, status := range []int64{
		http.StatusInternalServerError, http.StatusUnauthorized, http.StatusForbidden,
		http.StatusNotFound,
	} {
		g.tokens.fault.Store(status)
		caller := newCaller(t)
		token, _ := g.tokens.create("")
		a := g.get(t, "/api/v1/shipments", caller, token)
		if a.StatusCode != http.StatusServiceUnavailable || a.problem(t)["code"] != "auth_unavailable" {
			t.Errorf("tokens service responds with %d: %s %s", status, a.Status, a.body)
		}
		if a.Header.Get("Retry-After") != "2" || a.Header.Get("WWW-Authenticate") != "" ||
			a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("headers %v", a.Header)
		}
		if got := a.Header.Get("X-RateLimit-Remaining"); got != "100" {
			t.Errorf("the address was charged: %s left", got)
		}
		g.tokens.fault.Store(0)
		if a := g.get(t, "/api/v1/shipments", caller, token); a.StatusCode != http.StatusOK {
			t.Errorf("after the outage: %s", a.Status)
		}
	}
	g.tokens.Close()
	if a := g.get(t, "/api/v1/shipments", newCaller(t), known); a.StatusCode != http.StatusOK {
		t.Errorf("a cached token: %s", a.Status)
	}
	for _, name := range []string{"tokens service", "gateway credential"} {
		begun, ended := strings.Count(g.log.String(), name+" fails"), strings.Count(g.log.String(), name+" works again")
		if begun < 1 || begun > 2 || begun > 1+ended {
			t.Errorf("%s: %d outages began and %d ended", name, begun, ended)
		}
	}
}

// A gateway is ready once it has reached tokens-svc, and stays ready without Redis and tokens-svc: otherwise a load
// balancer would remove all gateways at once, although they still serve cached tokens.
func TestReadinessNeedsTheTokensServiceOnceAndNoRedis(t *testing.T) {
	t.Parallel()

	tokens := newTokensService(t)
	tokens.fault.Store(http.StatusUnauthorized)
	env := map[string]string{"REDIS_URL": "redis://127.0.0.1:" + freePort(t), "REDIS_DOWN": "local"}
	g := start(t, options{tokens: tokens, env: env})
	get := func(path string) (int, string) {
		response, err := http.Get(g.inner + path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(body)
	}
	want := func(why string, status int, text string) {
		t.Helper()
		var code int
		var body string
		// On a busy machine a call of tokens-svc may time out.
		eventually(t, func() bool { code, body = get("/readyz"); return code == status && body == text }, why+": "+text,
			g.log)
	}
	if code, body := get("/readyz"); code != http.StatusServiceUnavailable || body != "tokens service not reached yet\n" {
		t.Errorf("with a refused credential: %d %s", code, body)
	}
	tokens.fault.Store(0)
	want("reached", http.StatusOK, "ready\n")
	known, _ := tokens.create("")
	g.get(t, "/api/v1/shipments", newCaller(t), known)

	for _, status := range []int64{http.StatusInternalServerError, http.StatusUnauthorized} {
		tokens.fault.Store(status)
		if code, body := get("/readyz"); code != http.StatusOK || body != "ready, degraded: tokens service unavailable\n" {
			t.Errorf("while tokens-svc responds with %d: %d %s", status, code, body)
		}
		if metrics := g.metrics(t); !strings.Contains(metrics, "quayside_gateway_degraded 1\n") {
			t.Error("the metric degraded is not 1")
		}
	}
	tokens.fault.Store(0)
	want("after the fault", http.StatusOK, "ready\n")
	eventually(t, func() bool { return strings.Contains(g.metrics(t), "quayside_gateway_degraded 0\n") }, "not degraded",
		g.log)

	tokens.Close()
	if code, body := get("/readyz"); code != http.StatusOK || !strings.Contains(body, "degraded") {
		t.Errorf("without the tokens service: %d %s", code, body)
	}
	if a := g.get(t, "/api/v1/shipments", newCaller(t), known); a.StatusCode != http.StatusOK {
		t.Errorf("a cached token: %s", a.Status)
	}
	for _, path := range []string{"/livez", "/metrics"} {
		if code, _ := get(path); code != http.StatusOK {
			t.Errorf("%s: %d", path, code)
		}
	}
}

// deadRedis returns addresses without a working Redis, by the kind of failure.
func deadRedis(t *testing.T) map[string]string {
	t.Helper()
	hung, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = hung.Close() })
	return map[string]string{"refused": "127.0.0.1:" + freePort(t), "hung": hung.Addr().String()}
}

func TestDenyIs503WithoutRedis(t *testing.T) {
	t.Parallel()

	for name, address := range deadRedis(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := start(t, options{shipped: true, env: map[string]string{
				"REDIS_URL":  "redis://" + address,
				"REDIS_DOWN": "deny",
			}})
			good, _ := g.tokens.create("")
			unknown, _ := newToken()
			for _, tt := range []struct {
				path, token string
				status      int
				code        string
			}{
				{"/api/v1/shipments", good, 503, "limiter_unavailable"},
				{"/api/v1/shipments", good, 503, "limiter_unavailable"},
				{"/api/v1/shipments", unknown, 503, "limiter_unavailable"},
				{"/api/v1/shipments", "", 401, "missing_token"},
				{"/api/v1/shipments", "malformed", 401, "invalid_token"},
				{"/api/v1/openapi.json", "", 200, ""},
			} {
				a := g.get(t, tt.path, newCaller(t), tt.token)
				if a.StatusCode != tt.status || tt.code != "" && a.problem(t)["code"] != tt.code {
					t.Errorf("%s with %q: %s %s", tt.path, tt.token, a.Status, a.body)
				}
				limit := "100"
				if tt.status == http.StatusOK {
					limit = "600" // of public paths, which need no Redis
				}
				if a.Header.Get("X-RateLimit-Limit") != limit || a.Header.Get("X-RateLimit-Reset") == "" {
					t.Errorf("no computed window: %v", a.Header)
				}
				if a.StatusCode == http.StatusServiceUnavailable && a.Header.Get("Retry-After") == "" {
					t.Error("no Retry-After")
				}
			}
			if n := strings.Count(g.log.String(), "rate limiter fails"); n != 1 {
				t.Errorf("one outage was logged %d times", n)
			}
		})
	}
}

func TestAllowAndShadowRefuseNothingWithoutRedis(t *testing.T) {
	t.Parallel()

	for name, env := range map[string]map[string]string{
		"allow":             {"REDIS_DOWN": "allow"},
		"shadow, with deny": {"REDIS_DOWN": "deny", "WINDOWS_MODE": "shadow"},
		"shadow":            {"REDIS_DOWN": "local", "WINDOWS_MODE": "shadow"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env["REDIS_URL"] = "redis://127.0.0.1:" + freePort(t)
			g := start(t, options{env: env})
			good, _ := g.tokens.create(`,"rate_limit":{"limit":2,"window_seconds":60}`)
			for n := range 5 {
				a := g.get(t, "/api/v1/shipments", newCaller(t), good)
				if a.StatusCode != http.StatusOK || a.Header.Get("X-RateLimit-Limit") != "2" {
					t.Errorf("request %d: %s %v", n+1, a.Status, a.Header)
				}
			}
		})
	}
}
