package tokengate

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func parsedLimits(text string) (*Limits, error) {
	l := new(Limits)
	return l, l.UnmarshalCaddyfile(caddyfile.NewTestDispenser(text))
}

func TestLimitsRefuseOverTheQuotaOfTheTokenAndOfTheOrganization(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		limits, mode string
		passes       int
		policy       string
		remaining    string // after the first request
		detail       string
	}{
		"token":        {"limits x {\ntoken 2 24h\n}", "", 2, "x", "99", "requests of the token"},
		"organization": {"limits x {\norganization 3 24h\n}", "", 3, "x", "99", "requests of the organization"},
		"the lower one": {
			"limits x {\norganization 3 24h\ntoken 1 24h\n}", "", 1, "x", "99",
			"requests of the token",
		},
		"cost":                   {"limits x {\ncost 30\n}", "", 3, "token", "70", "counts as 30"},
		"token, in shadow mode":  {"limits x {\ntoken 2 24h\n}", "shadow", 4, "token", "99", ""},
		"cost, in shadow mode":   {"limits x {\ncost 30\n}", "shadow", 4, "token", "70", ""},
		"Redis is not available": {"limits x {\ntoken 2 24h\n}", "allow", 4, "token", "99", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limits, err := parsedLimits(tt.limits)
			if err != nil || limits.Validate() != nil {
				t.Fatal(err, limits.Validate())
			}
			settings := &Gate{Mode: tt.mode}
			if tt.mode == "allow" {
				settings = &Gate{RedisDown: "allow"}
			}
			g := newTestGate(t, settings, strings.Replace(activeBody, "{", `{"rate_limit":{"limit":100,"window_seconds":86400},`,
				1))
			g.redis.down = tt.mode == "allow"
			for n := 1; n <= 4; n++ {
				passed := false
				w, _ := g.serve(t, request(http.MethodGet, "/"), func(w http.ResponseWriter, r *http.Request) error {
					return limits.ServeHTTP(w, r, caddyhttp.HandlerFunc(func(http.ResponseWriter, *http.Request) error {
						passed = true
						return nil
					}))
				})
				if passed != (n <= tt.passes) || passed != (w.Code == http.StatusOK) {
					t.Fatalf("request %d: %d %s", n, w.Code, w.Body)
				}
				if left := field(w, "X-RateLimit-Remaining"); n == 1 && left != tt.remaining {
					t.Errorf("%s remaining, want %s", left, tt.remaining)
				}
				if passed {
					continue
				}
				if code(t, w) != "rate_limited" || !strings.Contains(w.Body.String(), tt.detail) ||
					w.Header().Get("Retry-After") == "" ||
					!strings.HasPrefix(field(w, "RateLimit-Policy"), `"`+tt.policy+`"`) {
					t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
				}
			}
		})
	}
}

// Costs of one request that add up to more than the token's limit can never be served: no time to wait until is named.
func TestCostsThatAddUpToMoreThanTheLimitAreNotRateLimited(t *testing.T) {
	t.Parallel()

	for costs, want := range map[[2]string]string{
		{"60", "41"}: "", {"60", "42"}: "limit_too_low",
		{"1000", "2"}: "limit_too_low",
	} {
		g := newTestGate(t, new(Gate), strings.Replace(activeBody, "{", `{"rate_limit":{"limit":100,"window_seconds":86400},`,
			1))
		first, err := parsedLimits("limits x {\ncost " + costs[0] + "\n}")
		second, err2 := parsedLimits("limits y {\ncost " + costs[1] + "\n}")
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		w, _ := g.serve(t, request(http.MethodGet, "/"), func(w http.ResponseWriter, r *http.Request) error {
			return first.ServeHTTP(w, r, caddyhttp.HandlerFunc(func(w http.ResponseWriter, r *http.Request) error {
				return second.ServeHTTP(w, r, caddyhttp.HandlerFunc(func(http.ResponseWriter, *http.Request) error { return nil }))
			}))
		})
		if got := field(w, "X-RateLimit-Remaining"); want == "" && (w.Code != http.StatusOK || got != "0") {
			t.Errorf("costs %v: %d, %s remaining", costs, w.Code, got)
		}
		if want != "" && (!strings.Contains(w.Body.String(), "counts as "+map[string]string{
			"42": "101",
			"2":  "1000",
		}[costs[1]]+",") || w.Code != http.StatusForbidden || code(t, w) != want ||
			w.Header().Get("Retry-After") != "") {
			t.Errorf("costs %v: %d %v %s, want %s", costs, w.Code, w.Header(), w.Body, want)
		}
	}
}

func TestLimitsFailWithRedisWhenRequestsMustBeCounted(t *testing.T) {
	t.Parallel()

	for _, text := range []string{"limits x {\ntoken 2 24h\n}", "limits x {\ncost 2\n}"} {
		limits, err := parsedLimits(text)
		if err != nil {
			t.Fatal(err)
		}
		g := newTestGate(t, &Gate{RedisDown: "deny"}, activeBody)
		w, _ := g.serve(t, request(http.MethodGet, "/"), func(w http.ResponseWriter, r *http.Request) error {
			g.redis.mu.Lock()
			g.redis.down = true
			g.redis.mu.Unlock()
			return limits.ServeHTTP(w, r, caddyhttp.HandlerFunc(func(http.ResponseWriter, *http.Request) error {
				t.Error("it was forwarded")
				return nil
			}))
		})
		if w.Code != http.StatusServiceUnavailable || code(t, w) != "limiter_unavailable" {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
}

func TestConcurrentRequestsOfAnOrganizationAreLimited(t *testing.T) {
	t.Parallel()

	for mode, refused := range map[string]bool{"enforce": true, "shadow": false} {
		limits, err := parsedLimits("limits concurrent-" + mode + " {\nconcurrent 2\n}")
		if err != nil {
			t.Fatal(err)
		}
		g := newTestGate(t, &Gate{Mode: mode}, activeBody)
		depth, most := 0, 0
		var send func() *httptest.ResponseRecorder
		send = func() *httptest.ResponseRecorder {
			w, _ := g.serve(t, request(http.MethodGet, "/"), func(w http.ResponseWriter, r *http.Request) error {
				return limits.ServeHTTP(w, r, caddyhttp.HandlerFunc(func(http.ResponseWriter, *http.Request) error {
					if depth++; depth > most {
						most = depth
					}
					if depth < 3 {
						if w := send(); (w.Code == http.StatusTooManyRequests) != (refused && depth == 2) {
							t.Errorf("%s, with %d in flight: %d %s", mode, depth, w.Code, w.Body)
						}
					}
					depth--
					return nil
				}))
			})
			return w
		}
		for range 2 { // all are given back
			if w := send(); w.Code != http.StatusOK {
				t.Errorf("%s: %d %s", mode, w.Code, w.Body)
			}
			inFlight.mu.Lock()
			if left, ok := inFlight.requests[flight{limits.Name, testOrg}]; ok {
				t.Errorf("%s: %d in flight", mode, left)
			}
			inFlight.mu.Unlock()
		}
		if want := map[bool]int{true: 2, false: 3}[refused]; most != want {
			t.Errorf("%s: %d at once, want %d", mode, most, want)
		}
	}
}

func TestLimitsLetRequestsWithoutATokenPass(t *testing.T) {
	t.Parallel()

	limits, err := parsedLimits("limits x {\ntoken 1 1s\n}")
	if err != nil {
		t.Fatal(err)
	}
	g := newTestGate(t, new(Gate), activeBody)
	for range 3 {
		w, _ := g.serve(t, request(http.MethodGet, "/docs/start"), func(w http.ResponseWriter, r *http.Request) error {
			return limits.ServeHTTP(w, r, caddyhttp.HandlerFunc(func(http.ResponseWriter, *http.Request) error { return nil }))
		})
		if w.Code != http.StatusOK {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	if err := limits.ServeHTTP(httptest.NewRecorder(), request(http.MethodGet, "/"), nil); err == nil {
		t.Error("limits work without a gate")
	}
}

func TestLimitsAreReadFromTheCaddyfile(t *testing.T) {
	t.Parallel()

	got, err := parsedLimits("limits uploads {\ncost 2\ntoken 10 1s\norganization 20 1m\nconcurrent 1\n}")
	if err != nil || got.Validate() != nil {
		t.Fatal(err, got.Validate())
	}
	if got.Name != "uploads" || got.Cost != 2 || got.Concurrent != 1 ||
		*got.Token != (RouteQuota{10, caddy.Duration(time.Second)}) ||
		*got.Organization != (RouteQuota{20, caddy.Duration(time.Minute)}) {
		t.Errorf("%+v", got)
	}
	for _, text := range []string{
		"limits", "limits a b", "limits a {\ncost\n}", "limits a {\ncost 0\n}", "limits a {\ncost x\n}",
		"limits a {\ncost 1 2\n}",
		"limits a {\ncost 1\ncost 2\n}", "limits a {\nunknown 1\n}", "limits a {\ntoken 1\n}", "limits a {\ntoken 0 1m\n}",
		"limits a {\ntoken x 1m\n}", "limits a {\ntoken 1 x\n}", "limits a {\ntoken 1 1500ms\n}",
		"limits a {\ntoken 1 999ms\n}",
		"limits a {\ntoken 1 0s\n}", "limits a {\ntoken 1 1m\ntoken 2 1m\n}", "limits a {\nconcurrent 0\n}",
		"limits a {\ncost 1000001\n}", "limits a {\nconcurrent 1000000001\n}", "limits a {\ntoken 1000000001 1m\n}",
		"limits a {\norganization 9223372036854775807 1m\n}", "limits a {\ntoken 1 745h\n}",
		"limits a {\ntoken 1 2540400h\n}",
	} {
		if got, err := parsedLimits(text); err == nil || !strings.Contains(err.Error(), "Testfile:") {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"limits":                            "argument",
		"limits a {\ncost x\n}":             "x is not a whole number from 1",
		"limits a {\ntoken x 1m\n}":         "want 1 to 1000000000 requests",
		"limits a {\norganization 1 x\n}":   "want 1 to 1000000000 requests",
		"limits a {\ntoken 1 745h\n}":       "want 1 to 1000000000 requests",
		"limits a {\ntoken 1 2 3\n}":        "wrong number of values",
		"limits a {\ntoken 1000000000 1\n}": "want 1 to 1000000000 requests",
	} {
		if _, err := parsedLimits(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for _, greatest := range []*Limits{
		{Name: "a", Concurrent: maxRequests},
		{Name: "a", Token: &RouteQuota{maxRequests, caddy.Duration(maxRouteWindow)}},
	} {
		if err := greatest.Validate(); err != nil {
			t.Error(err)
		}
	}
	for _, wrong := range []*Limits{
		{},
		{Name: "a"}, // limits nothing
		{Name: "Upper", Cost: 2},
		{Name: "token", Cost: 2},
		{Name: "a", Cost: -1},
		{Name: "a", Cost: maxCost + 1},
		{Name: "a", Concurrent: -1},
		{Name: "a", Concurrent: maxRequests + 1},
		{Name: "a", Token: &RouteQuota{maxRequests + 1, caddy.Duration(time.Second)}},
		{Name: "a", Token: &RouteQuota{1, caddy.Duration(maxRouteWindow + time.Second)}},
		{Name: "a", Token: &RouteQuota{0, caddy.Duration(time.Second)}},
		{Name: "a", Organization: &RouteQuota{1, 0}},
	} {
		if wrong.Validate() == nil {
			t.Errorf("%+v is valid", wrong)
		}
	}
	for _, cost := range []int{2, maxCost} {
		if err := (&Limits{Name: "a", Cost: cost}).Validate(); err != nil {
			t.Error(err)
		}
	}
}
