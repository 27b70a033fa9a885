package tokengate

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

func TestActiveTokenPassesWithThePrincipalAndItsWindow(t *testing.T) {
	t.Parallel()

	g := newTestGate(t, new(Gate), strings.Replace(activeBody, "{", `{"rate_limit":{"limit":2,"window_seconds":86400},`,
		1))
	for _, left := range []string{"1", "0"} {
		w, got := g.serve(t, request(http.MethodGet, "/api/v1/shipments"), nil)
		if w.Code != http.StatusOK || !got.forwarded {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		for name, want := range map[string]string{
			"X-Organization-Id": testOrg, "X-Token-Id": "tok_4fZyo82mVyR1", "X-Token-Permissions": "shipments:read",
			"X-Client-Address": "192.0.2.1", "Authorization": "", "X-Request-Id": field(w, "X-Request-ID"),
		} {
			if got := got.Header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if got := field(w, "X-RateLimit-Remaining"); got != left {
			t.Errorf("remaining %s, want %s", got, left)
		}
	}
	w, got := g.serve(t, request(http.MethodGet, "/api/v1/shipments"), nil)
	if got.forwarded || w.Code != http.StatusTooManyRequests || code(t, w) != "rate_limited" ||
		w.Header().Get("Retry-After") == "" {
		t.Errorf("over the limit: %d %v %s", w.Code, w.Header(), w.Body)
	}
	g.setBody(`{"rate_limit":{"limit":2,"window_seconds":86400},"lineage":"tok_4fZyo82mVyR1",` +
		strings.Replace(activeBody[1:], "tok_4fZyo82mVyR1", "tok_000000000001", 1))
	successor := request(http.MethodGet, "/api/v1/shipments")
	successor.Header.Set("Authorization", "Bearer "+otherToken)
	if w, got := g.serve(t, successor, nil); got.forwarded || code(t, w) != "rate_limited" {
		t.Errorf("a token does not continue the window of the one that it replaces: %d %s", w.Code, w.Body)
	}
}

// Each of these is charged to the client's address, and nothing is forwarded.
func TestRequestsWithoutAValidTokenAreRefusedAndChargedToTheirAddress(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		body, authorization string
		status              int
		code, detail        string
		challenge           string
	}{
		"missing": {activeBody, "", 401, "missing_token", "needs the header", `Bearer realm="shipments"`},
		"malformed": {
			activeBody, "Bearer shpt_live_x", 401, "invalid_token", "malformed",
			`Bearer realm="shipments", error="invalid_token", ` +
				`error_description="The API token is malformed: send it whole, in one Authorization header."`,
		},
		"unknown": {
			`{"active":false}`, "Bearer " + testToken, 401, "invalid_token", "unknown",
			`Bearer realm="shipments", error="invalid_token", error_description="The API token is unknown."`,
		},
		"revoked": {
			`{"active":false,"reason":"revoked"}`, "Bearer " + testToken, 401, "invalid_token", "was revoked",
			`Bearer realm="shipments", error="invalid_token", error_description="The API token was revoked."`,
		},
		"expired": {
			`{"active":false,"reason":"expired"}`, "Bearer " + testToken, 401, "invalid_token", "has expired",
			`Bearer realm="shipments", error="invalid_token", error_description="The API token has expired."`,
		},
		"other address": {
			strings.Replace(activeBody, "{", `{"ip_allow":["198.51.100.0/24"],`, 1), "Bearer " + testToken, 403,
			"address_not_allowed", "from this address", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newTestGate(t, new(Gate), tt.body)
			for _, left := range []string{"99", "98"} {
				r := request(http.MethodGet, "/api/v1/shipments")
				r.Header.Del("Authorization")
				if tt.authorization != "" {
					r.Header.Set("Authorization", tt.authorization)
				}
				w, got := g.serve(t, r, nil)
				if got.forwarded || w.Code != tt.status || code(t, w) != tt.code || !strings.Contains(w.Body.String(), tt.detail) {
					t.Errorf("forwarded %t: %d %s", got.forwarded, w.Code, w.Body)
				}
				if challenge := field(w, "WWW-Authenticate"); challenge != tt.challenge {
					t.Errorf("challenge %q", challenge)
				}
				policy := `"address"`
				if name == "missing" || name == "malformed" {
					policy = `"no-token"`
				}
				if field(w, "X-RateLimit-Remaining") != left || !strings.HasPrefix(field(w, "RateLimit-Policy"), policy) {
					t.Errorf("%v, want %s left of the address", w.Header(), left)
				}
			}
		})
	}
}

func TestEmptyWindowOfAnAddressRefusesItsUnknownTokens(t *testing.T) {
	t.Parallel()

	g := newTestGate(t, new(Gate), activeBody)
	g.setBody(`{"active":false}`)
	unknown := func() *http.Request {
		r := request(http.MethodGet, "/api/v1/shipments")
		r.Header.Set("Authorization", "Bearer "+otherToken)
		return r
	}
	for n := range invalidTokenWindow.Limit {
		if w, _ := g.serve(t, unknown(), nil); w.Code != http.StatusUnauthorized {
			t.Fatalf("request %d: %d %s", n+1, w.Code, w.Body)
		}
	}
	if w, got := g.serve(t, unknown(), nil); w.Code != http.StatusTooManyRequests || got.forwarded {
		t.Errorf("unknown: %d %s", w.Code, w.Body)
	}
	if w, got := g.serve(t, request(http.MethodGet, "/api/v1/shipments"), nil); w.Code != http.StatusOK ||
		!got.forwarded {
		t.Errorf("a known token pays for others at its address: %d %s", w.Code, w.Body)
	}
}

// A token, even a new one, does not pay for requests of its address that have no token or an ended session.
func TestATokenDoesNotPayForRequestsWithoutOne(t *testing.T) {
	t.Parallel()

	g := newTestGate(t, new(Gate), "")
	g.session = `{"active":false}`
	for name, tt := range map[string]struct{ path, header, value string }{
		"missing":   {"/api/v1/shipments", "Authorization", ""},
		"malformed": {"/api/v1/shipments", "Authorization", "Bearer x"},
		"session":   {"/shipments", "Cookie", "quayside=x"},
	} {
		var w *httptest.ResponseRecorder
		for n := 0; n <= 2*invalidTokenWindow.Limit && (w == nil || w.Code != http.StatusTooManyRequests); n++ {
			r := httptest.NewRequest(http.MethodGet, tt.path, http.NoBody)
			r.Header.Set(tt.header, tt.value)
			w, _ = g.serve(t, r, nil)
		}
		if w.Code != http.StatusTooManyRequests {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	g.setBody(activeBody)
	w, got := g.serve(t, request(http.MethodGet, "/api/v1/shipments"), nil)
	if w.Code != http.StatusOK || !got.forwarded {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestFaultsAre503(t *testing.T) {
	t.Parallel()

	t.Run("tokens service", func(t *testing.T) {
		t.Parallel()
		w, got := newTestGate(t, new(Gate), "").serve(t, request(http.MethodGet, "/"), nil)
		if got.forwarded || w.Code != http.StatusServiceUnavailable || code(t, w) != "auth_unavailable" ||
			w.Header().Get("Retry-After") != "2" {
			t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
		}
		if left := field(w, "X-RateLimit-Remaining"); left != "100" {
			t.Errorf("the address was charged: %s left", left)
		}
	})
	t.Run("Redis", func(t *testing.T) {
		t.Parallel()
		g := newTestGate(t, &Gate{RedisDown: "deny"}, activeBody)
		w, got := g.serve(t, request(http.MethodGet, "/"), nil)
		if w.Code != http.StatusServiceUnavailable || got.forwarded || code(t, w) != "limiter_unavailable" {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}

func TestOpenRoutesNeedNoTokenAndHaveWindowsOfTheirOwn(t *testing.T) {
	t.Parallel()

	g := newTestGate(t, new(Gate), activeBody)
	used := map[string]int{} // by policy
	for _, tt := range []struct {
		method, path string
		status       int
		policy       string
		limit        int
		cookie       string
	}{
		{"GET", "/docs/start", 200, "public", 600, ""},
		{"HEAD", "/docs/start", 200, "public", 600, ""},
		{"POST", "/docs/start", 405, "public", 600, ""},
		{"GET", "/settings/tokens", 200, "page", 600, "session=x"},
		{"GET", "/sign-in", 200, "page", 600, "session=x"},
		{"POST", "/sign-in", 200, "sign-in", 30, "session=x"},
	} {
		r := request(tt.method, tt.path)
		r.Header.Set("Cookie", "session=x")
		w, got := g.serve(t, r, nil)
		if w.Code != tt.status || got.forwarded != (tt.status == 200) {
			t.Fatalf("%s %s: %d %s", tt.method, tt.path, w.Code, w.Body)
		}
		used[tt.policy]++
		if field(w, "X-RateLimit-Remaining") != strconv.Itoa(tt.limit-used[tt.policy]) ||
			!strings.HasPrefix(field(w, "RateLimit-Policy"), `"`+tt.policy+`"`) {
			t.Errorf("%s %s: %v", tt.method, tt.path, w.Header())
		}
		if allow := w.Header().Get("Allow"); (allow == "GET, HEAD") != (tt.status == 405) {
			t.Errorf("%s %s: Allow %q", tt.method, tt.path, allow)
		}
		if got.forwarded && (got.Header.Get("Cookie") != tt.cookie || got.Header.Get("X-Token-Id") != "") {
			t.Errorf("%s %s is forwarded with %v", tt.method, tt.path, got.Header)
		}
	}
	r := request(http.MethodOptions, "/api/v1/shipments")
	r.Header.Set("Origin", "https://app.example")
	r.Header.Set("Access-Control-Request-Method", "GET")
	w, got := g.serve(t, r, nil)
	if w.Code != http.StatusNoContent || got.forwarded ||
		w.Header().Get("Access-Control-Allow-Origin") != "https://app.example" {
		t.Errorf("preflight: %d %v", w.Code, w.Header())
	}
	for range signInWindow.Limit - used["sign-in"] {
		if w, got := g.serve(t, request(http.MethodPost, "/sign-in"), nil); !got.forwarded {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	if w, got := g.serve(t, request(http.MethodPost, "/sign-in"), nil); w.Code != http.StatusTooManyRequests ||
		got.forwarded || !strings.Contains(w.Body.String(), "from your address") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
