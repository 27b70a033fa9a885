package main

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestTokensServiceAwayIs503AndNeverRefusal(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	known, _ := g.tokens.create("")
	if a := g.get(t, "/api/v1/shipments", newCaller(t), known); a.StatusCode != http.StatusOK {
		t.Fatal(a.Status)
	}
	for _, status := range []int64{http.StatusInternalServerError, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound} {
		g.tokens.fault.Store(status)
		caller := newCaller(t)
		token, _ := g.tokens.create("")
		a := g.get(t, "/api/v1/shipments", caller, token)
		if a.StatusCode != http.StatusServiceUnavailable || a.problem(t)["code"] != "auth_unavailable" {
			t.Errorf("tokens service says %d: %s %s", status, a.Status, a.body)
		}
		if a.Header.Get("Retry-After") != "2" || a.Header.Get("WWW-Authenticate") != "" || a.Header.Get("Cache-Control") != "no-store" {
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
		t.Errorf("a token already known: %s", a.Status)
	}
	// 401 and 403, with a time in between in which it worked.
	if n := strings.Count(g.log.String(), "gateway credential fails"); n != 2 {
		t.Errorf("two refusals of the credential were logged %d times", n)
	}
}

func TestReadinessFollowsTheTokensServiceAndNotRedis(t *testing.T) {
	t.Parallel()

	g := start(t, options{env: map[string]string{"REDIS_URL": "redis://127.0.0.1:" + freePort(t)}})
	ask := func(path string) int {
		response, err := http.Get(g.inner + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		return response.StatusCode
	}
	if got := ask("/readyz"); got != http.StatusOK {
		t.Errorf("without Redis: %d", got)
	}
	g.tokens.fault.Store(http.StatusUnauthorized)
	if got := ask("/readyz"); got != http.StatusServiceUnavailable {
		t.Errorf("with a refused credential: %d", got)
	}
	g.tokens.Close()
	if got := ask("/readyz"); got != http.StatusServiceUnavailable {
		t.Errorf("without the tokens service: %d", got)
	}
	if got := ask("/livez"); got != http.StatusOK {
		t.Errorf("livez: %d", got)
	}
	if got := ask("/metrics"); got != http.StatusOK {
		t.Errorf("metrics: %d", got)
	}
}

func TestRedisAwayIs503InTime(t *testing.T) {
	t.Parallel()

	hung, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = hung.Close() })
	for name, address := range map[string]string{"refused": "127.0.0.1:" + freePort(t), "hung": hung.Addr().String(), "black hole": "192.0.2.1:6379"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := start(t, options{env: map[string]string{"REDIS_URL": "redis://" + address}})
			good, _ := g.tokens.create("")
			unknown, _ := newToken()
			for _, tt := range []struct {
				path, token string
				status      int
				code        string
			}{
				{"/api/v1/shipments", good, 503, "limiter_unavailable"},
				{"/api/v1/shipments", unknown, 503, "limiter_unavailable"},
				{"/api/v1/shipments", "", 401, "missing_token"},
				{"/api/v1/shipments", "malformed", 401, "invalid_token"},
				{"/api/v1/openapi.json", "", 200, ""},
			} {
				begin := time.Now()
				a := g.get(t, tt.path, newCaller(t), tt.token)
				if took := time.Since(begin); took > time.Second {
					t.Errorf("%s took %v", tt.code, took)
				}
				if a.StatusCode != tt.status || tt.code != "" && a.problem(t)["code"] != tt.code {
					t.Errorf("%s with %q: %s %s", tt.path, tt.token, a.Status, a.body)
				}
				if a.Header.Get("X-RateLimit-Limit") != "100" || a.Header.Get("X-RateLimit-Reset") == "" {
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
