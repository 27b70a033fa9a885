package integration

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestHundredRequestsPassAndTheNextIsRefused(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	caller := newCaller(t)
	byDefault, _ := g.tokens.create("")
	if policy := g.get(t, "/api/v1/shipments", caller, byDefault).Header.Get("RateLimit-Policy"); policy !=
		`"token";q=100;w=60` {
		t.Errorf("the default policy is %s", policy)
	}
	token, _ := g.tokens.create(`,"rate_limit":{"limit":100,"window_seconds":86400}`) // no minute begins
	for n := 1; n <= 103; n++ {
		a := g.get(t, "/api/v1/shipments", caller, token)
		if got, want := a.Header.Get("X-RateLimit-Remaining"), strconv.Itoa(max(100-n, 0)); got != want {
			t.Fatalf("request %d: remaining %s, want %s", n, got, want)
		}
		if n <= 100 && a.StatusCode != http.StatusOK {
			t.Fatalf("request %d: %s", n, a.Status)
		}
		if n > 100 {
			checkRefusal(t, a)
		}
	}
	// The window of the token refused the requests; the window of the address is unused.
	if a := g.get(t, "/api/v1/shipments", caller, ""); a.Header.Get("X-RateLimit-Remaining") != "99" {
		t.Errorf("the address has %s requests left", a.Header.Get("X-RateLimit-Remaining"))
	}
}

func checkRefusal(t *testing.T, a answer) {
	t.Helper()
	if code := a.problem(t)["code"]; a.StatusCode != http.StatusTooManyRequests || code != "rate_limited" {
		t.Fatalf("%s %v", a.Status, code)
	}
	reset, err := strconv.ParseInt(a.Header.Get("X-RateLimit-Reset"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	retry, err := strconv.ParseInt(a.Header.Get("Retry-After"), 10, 64)
	if left := reset - time.Now().Unix(); err != nil || retry < left || left < 0 {
		t.Errorf("Retry-After %d (%v) with %d s to Reset", retry, err, left)
	}
}

// A successor continues the window of the token that it replaces, so rotating gives no further requests. The usage of
// each token is reported separately.
func TestWindowsFollowTheLineageOfTokens(t *testing.T) {
	t.Parallel()

	g := start(t, options{env: withoutRedis(t)})
	const limit = `,"rate_limit":{"limit":3,"window_seconds":86400}`
	first, firstID := g.tokens.create(limit)
	lineage := limit + `,"lineage":"` + firstID + `"`
	second, secondID := g.tokens.create(lineage)
	third, _ := g.tokens.create(lineage)
	other, _ := g.tokens.create(limit)
	for n, token := range []string{first, second, second} {
		a := g.get(t, "/api/v1/shipments", newCaller(t), token)
		if a.StatusCode != http.StatusOK || a.Header.Get("X-RateLimit-Remaining") != strconv.Itoa(2-n) {
			t.Errorf("request %d: %s, remaining %s", n+1, a.Status, a.Header.Get("X-RateLimit-Remaining"))
		}
	}
	for range 2 { // introspected, then cached
		for _, token := range []string{first, second, third} {
			checkRefusedFor(t, g.get(t, "/api/v1/shipments", newCaller(t), token))
		}
	}
	if a := g.get(t, "/api/v1/shipments", newCaller(t), other); a.StatusCode != http.StatusOK {
		t.Errorf("another lineage: %s", a.Status)
	}
	log := g.logOf(t, 3+6+1)
	if a, b := strings.Count(log, firstID), strings.Count(log, secondID); a != 3 || b != 4 {
		t.Errorf("%d lines have the id of the first token and %d that of the second", a, b)
	}
}

// checkRefusedFor fails unless a is 429 of a token's window.
func checkRefusedFor(t *testing.T, a answer) {
	t.Helper()
	if a.StatusCode != http.StatusTooManyRequests || !strings.HasPrefix(a.Header.Get("RateLimit-Policy"), `"token";q=3;`) {
		t.Errorf("%s, %s", a.Status, a.Header.Get("RateLimit-Policy"))
	}
}
