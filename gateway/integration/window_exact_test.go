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
	token, caller := g.tokenWithTime(t), newCaller(t)
	for n := 2; n <= 103; n++ { // tokenWithTime made the first
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
	if left := reset - time.Now().Unix(); err != nil || retry < left || retry > 60 || left < 0 {
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

func TestRequestsWithoutAValidTokenAreChargedToTheirAddress(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	caller := g.callerWithTime(t)
	good, _ := g.tokens.create("")
	if a := g.get(t, "/api/v1/shipments", caller, good); a.StatusCode != http.StatusOK {
		t.Fatal(a.Status)
	}
	unknown, _ := newToken()
	kinds := []string{"", "malformed", unknown}
	for n := 2; n <= 100; n++ { // callerWithTime made the first
		a := g.get(t, "/api/v1/shipments", caller, kinds[n%len(kinds)])
		if left := a.Header.Get("X-RateLimit-Remaining"); a.StatusCode != http.StatusUnauthorized ||
			left != strconv.Itoa(100-n) {
			t.Fatalf("request %d: %s, remaining %s", n, a.Status, left)
		}
	}

	received := g.tokens.introspections.Load()
	another, _ := g.tokens.create("")
	for _, token := range []string{"", "malformed", unknown, another} {
		a := g.get(t, "/api/v1/shipments", caller, token)
		if a.StatusCode != http.StatusTooManyRequests || a.Header.Get("RateLimit-Policy") != `"address";q=100;w=60` {
			t.Errorf("empty window: %s, %s", a.Status, a.Header.Get("RateLimit-Policy"))
		}
	}
	if got := g.tokens.introspections.Load(); got != received {
		t.Error("the tokens service received an introspection for an address with an empty window")
	}
	if a := g.get(t, "/api/v1/shipments", newCaller(t), ""); a.StatusCode != http.StatusUnauthorized {
		t.Errorf("another address: %s", a.Status)
	}
	// The addresses of a /64 share a window.
	if a := g.get(t, "/api/v1/shipments", caller+"234", ""); a.StatusCode != http.StatusTooManyRequests {
		t.Errorf("same /64: %s", a.Status)
	}
}

// tokenWithTime returns a new token with which one request was made, and whose window lasts long enough for every test
// here.
func (g *gateway) tokenWithTime(t *testing.T) string {
	t.Helper()
	for {
		token, _ := g.tokens.create("")
		a := g.get(t, "/api/v1/shipments", newCaller(t), token)
		if a.StatusCode == http.StatusOK && hasTime(t, a) {
			return token
		}
	}
}

// callerWithTime returns a client address that has made one request without a token, and whose window still lasts
// long enough.
func (g *gateway) callerWithTime(t *testing.T) string {
	t.Helper()
	for {
		if caller := newCaller(t); hasTime(t, g.get(t, "/api/v1/shipments", caller, "")) {
			return caller
		}
	}
}

func hasTime(t *testing.T, a answer) bool {
	t.Helper()
	return secondsLeft(t, a) > 40
}

// secondsLeft is the time until the window of a ends, in seconds.
func secondsLeft(t *testing.T, a answer) int64 {
	t.Helper()
	reset, err := strconv.ParseInt(a.Header.Get("X-RateLimit-Reset"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return reset - time.Now().Unix()
}
