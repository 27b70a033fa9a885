package integration

import (
	"net/http"
	"strconv"
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
