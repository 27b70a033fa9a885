package integration

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// waitUntilFollowing returns when the change stream is connected.
func (g *gateway) waitUntilFollowing(t *testing.T) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(g.metrics(t), "quayside_gateway_change_stream_connected 1\n") {
		select {
		case <-deadline:
			t.Fatalf("no stream:\n%s", g.log)
		case <-tick.C:
		}
	}
}

// untilStatus sends requests with token, one after another, until a response has that status.
func (g *gateway) untilStatus(t *testing.T, token string, status int) time.Time {
	t.Helper()
	caller := newCaller(t)
	for begin := time.Now(); ; {
		if g.get(t, "/api/v1/shipments", caller, token).StatusCode == status {
			return time.Now()
		}
		if time.Since(begin) > 30*time.Second {
			t.Errorf("no %d in 30 s", status)
			return time.Now()
		}
	}
}

// The published bound: a revoked token is refused in under a second at every gateway, under load.
func TestARevokedTokenIsRefusedEverywhereWithinASecond(t *testing.T) {
	t.Parallel()

	tokens := newTokensService(t)
	gateways := []*gateway{start(t, options{tokens: tokens}), start(t, options{tokens: tokens}), start(t, options{tokens: tokens})}
	const generous = `,"rate_limit":{"limit":1000000,"window_seconds":86400}`
	token, id := tokens.create(generous)
	for _, g := range gateways {
		g.untilStatus(t, token, http.StatusOK)
		g.waitUntilFollowing(t)
	}
	if tokens.introspections.Load() > 10 { // the readiness probe introspects, too
		t.Errorf("%d introspections", tokens.introspections.Load())
	}

	var refused [3]time.Time
	var load sync.WaitGroup
	revoked := make(chan time.Time, 1)
	for n, g := range gateways {
		load.Go(func() { refused[n] = g.untilStatus(t, token, http.StatusUnauthorized) })
		load.Go(func() { g.untilStatus(t, token, http.StatusUnauthorized) })
	}
	revoked <- time.Now()
	tokens.change(token, id, `{"active":false,"reason":"revoked"}`)
	load.Wait()
	at := <-revoked
	for n, when := range refused {
		if took := when.Sub(at); took > time.Second {
			t.Errorf("gateway %d: refused after %v", n, took)
		}
	}
}

func TestLimitsAndNewTokensArriveByTheStream(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	token, id := newToken()
	caller := newCaller(t)
	if a := g.get(t, "/api/v1/shipments", caller, token); a.StatusCode != http.StatusUnauthorized {
		t.Fatal(a.Status)
	}
	g.waitUntilFollowing(t)
	other, _ := g.tokens.create(`,"rev":1`)
	answer, _ := g.tokens.answers.Load(other)
	for revision, limit := range []string{"100", "7"} {
		body := strings.Replace(answer.(string), `"rev":1`, `"rev":`+string(rune('1'+revision))+`,"rate_limit":{"limit":`+limit+`,"window_seconds":60}`, 1)
		begin := time.Now()
		g.tokens.change(token, id, strings.Replace(body, "tok_"+other[10:22], id, 1))
		for a := g.get(t, "/api/v1/shipments", caller, token); a.Header.Get("X-RateLimit-Limit") != limit || a.StatusCode == http.StatusUnauthorized; a = g.get(t, "/api/v1/shipments", caller, token) {
			if time.Since(begin) > time.Second {
				t.Fatalf("limit %s: %s %v", limit, a.Status, a.Header)
			}
		}
	}
}

func TestAReloadKeepsTheStream(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	token, _ := g.tokens.create("")
	g.untilStatus(t, token, http.StatusOK)
	g.waitUntilFollowing(t)
	g.reload(t)
	g.untilStatus(t, token, http.StatusOK)
	g.waitUntilFollowing(t)
	g.tokens.mu.Lock()
	defer g.tokens.mu.Unlock()
	if g.tokens.streams != 1 {
		t.Errorf("%d streams were opened", g.tokens.streams)
	}
}

func TestAStreamOutageIsLoggedOnceAndInMetrics(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	if text := g.metrics(t); !strings.Contains(text, "quayside_gateway_change_stream_connected 0\n") || !strings.Contains(text, "quayside_gateway_revocation_lag_seconds +Inf\n") {
		t.Error("the stream is connected before the first token is cached")
	}
	token, _ := g.tokens.create("")
	g.untilStatus(t, token, http.StatusOK)
	g.waitUntilFollowing(t)
	g.tokens.Close()
	deadline := time.After(30 * time.Second)
	for connected := true; connected; {
		select {
		case <-deadline:
			t.Fatal("the metrics do not show the outage")
		case <-time.After(100 * time.Millisecond):
			connected = strings.Contains(g.metrics(t), "quayside_gateway_change_stream_connected 1\n")
		}
	}
	if n := strings.Count(g.log.String(), "stream of changes fails"); n != 1 {
		t.Errorf("logged %d times", n)
	}
	if a := g.get(t, "/api/v1/shipments", newCaller(t), token); a.StatusCode != http.StatusOK {
		t.Errorf("a cached token: %s", a.Status)
	}
}
