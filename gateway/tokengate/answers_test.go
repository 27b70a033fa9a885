package tokengate

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func TestPagesOfAllowedOriginsMayReadResponses(t *testing.T) {
	t.Parallel()

	g := newTestGate(t, new(Gate), activeBody)
	for _, tt := range []struct {
		method, origin, asks string
		preflight            bool
		allowed, vary        string
	}{
		{http.MethodOptions, "https://app.example", "GET", true, "https://app.example", "Origin"},
		{http.MethodOptions, "https://app.example", "", false, "https://app.example", "Origin"},
		{http.MethodOptions, "https://other.example", "GET", false, "", "Origin"},
		{http.MethodGet, "https://app.example", "GET", false, "https://app.example", "Origin"},
		{http.MethodGet, "", "", false, "", "Origin"},
	} {
		r := request(tt.method, "/api/v1/shipments")
		for name, value := range map[string]string{"Origin": tt.origin, "Access-Control-Request-Method": tt.asks} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		w, got := g.serve(t, r, nil)
		if got.forwarded == tt.preflight || w.Header().Get("Access-Control-Allow-Origin") != tt.allowed ||
			w.Header().Get("Vary") != tt.vary {
			t.Errorf("%+v: forwarded %t, %v", tt, got.forwarded, w.Header())
		}
		if exposed := w.Header().Get("Access-Control-Expose-Headers"); (exposed == corsExposed) != (tt.allowed != "") {
			t.Errorf("%+v: exposes %q", tt, exposed)
		}
		for name, want := range map[string]string{"Methods": corsMethods, "Headers": corsHeaders} {
			if got := w.Header().Get("Access-Control-Allow-" + name); (got == want) != tt.preflight {
				t.Errorf("%+v: %s %q", tt, name, got)
			}
		}
		if age := w.Header().Get("Access-Control-Max-Age"); (age == "7200") != tt.preflight {
			t.Errorf("%+v: kept for %q", tt, age)
		}
	}
	page := request(http.MethodGet, "/settings/a")
	page.Header.Set("Origin", "https://app.example")
	if w, _ := g.serve(t, page, func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		return nil
	}); w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("other pages may read a page: %v", w.Header())
	}
	everyone, err := newCORS([]string{"*"})
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{}
	if everyone.complete(header, "https://any.example"); header.Get("Access-Control-Allow-Origin") != "*" ||
		header.Get("Vary") != "" {
		t.Errorf("to every origin: %v", header)
	}
	if cors(nil).isPreflight(request(http.MethodOptions, "/")) {
		t.Error("there is a preflight request without CORS")
	}
}

func TestRequestsThatNoServiceMaySeeAreRefused(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		change func(*http.Request)
		status int
		allow  string
	}{
		"a plain one":      {func(*http.Request) {}, 0, ""},
		"method, no token": {func(r *http.Request) { r.Method = "GET /x" }, 400, ""},
		"space in a query": {func(r *http.Request) { r.URL.RawQuery = "a b" }, 400, ""},
		"one length":       {func(r *http.Request) { r.Header["Content-Length"] = []string{"1"} }, 0, ""},
		"two lengths":      {func(r *http.Request) { r.Header["Content-Length"] = []string{"1", "2"} }, 400, ""},
		"ambiguous path":   {func(r *http.Request) { r.URL.Path = "/a//b" }, 404, ""},
		"tunnel":           {func(r *http.Request) { r.Method = http.MethodConnect }, 405, forwarded},
		"trace":            {func(r *http.Request) { r.Method = http.MethodTrace }, 405, forwarded},
	} {
		r := httptest.NewRequest(http.MethodGet, "/a", strings.NewReader("body"))
		tt.change(r)
		w := httptest.NewRecorder()
		x, r := new(Gate).receive(w, r)
		x.route = publicRoute
		err := x.checkDestination(r)
		failure, _ := errors.AsType[caddyhttp.HandlerError](err)
		if failure.StatusCode != tt.status || w.Header().Get("Allow") != tt.allow || w.Body.Len() > 0 {
			t.Errorf("%s: %v, %v", name, err, w.Header())
		}
	}
}

func TestErrorsHaveTheFormThatTheClientReads(t *testing.T) {
	t.Parallel()

	g := newTestGate(t, new(Gate), activeBody)
	for _, tt := range []struct {
		path, accept string
		html         bool
	}{
		{"/settings/x", "text/html", true},
		{"/settings/x", "*/*", false},
		{"/api/v1/x", "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", false}, // Java's HttpURLConnection
		{"/api/v1/x", "*/*", false},
	} {
		r := request(http.MethodGet, tt.path)
		r.Header.Set("Accept", tt.accept)
		w, _ := g.serve(t, r, func(http.ResponseWriter, *http.Request) error {
			return caddyhttp.Error(http.StatusNotFound,
				nil)
		})
		if html := strings.HasPrefix(w.Body.String(), "<!doctype html>"); html != tt.html ||
			(w.Header().Get("Content-Security-Policy") != "") != tt.html {
			t.Errorf("%s for %s: %v %s", tt.path, tt.accept, w.Header(), w.Body)
		}
		if w.Header().Get("Content-Length") == "" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s for %s: %v", tt.path, tt.accept, w.Header())
		}
	}
}

func TestAssertionsAreSignedForTokensAndPagesOnly(t *testing.T) {
	t.Parallel()

	g := newTestGate(t, new(Gate), activeBody)
	assertion := func(path string) (text string) {
		g.serve(t, request(http.MethodGet, path), func(_ http.ResponseWriter, r *http.Request) error {
			repl := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
			text = repl.ReplaceAll("{"+placeholders+"assertion.shipments-svc}", "none")
			if prefers, known := caddyhttp.GetVar(r.Context(), PrefersHTMLVar).(bool); prefers || known != (path == "/docs/a") {
				t.Errorf("%s: prefers HTML: %v", path, prefers)
			}
			return nil
		})
		return text
	}
	if text := assertion("/api/v1/x"); text != "none" {
		t.Errorf("without a key: %q", text)
	}
	g = newTestGate(t, &Gate{SigningKey: newKey(t)}, activeBody)
	for path, parts := range map[string]int{"/api/v1/x": 3, "/settings/x": 3, "/docs/a": 1} {
		if text := assertion(path); len(strings.Split(text, ".")) != parts {
			t.Errorf("%s: %q", path, text)
		}
	}
	if assertion("/api/v1/x") == assertion("/settings/x") {
		t.Error("a page has the assertion of a token")
	}
}

// A connection without keep-alive ends with its response, and so do those of a draining gateway.
func TestConnectionsOfHTTP10End(t *testing.T) {
	t.Parallel()

	g := newTestGate(t, new(Gate), activeBody)
	for _, tt := range []struct {
		method       string
		major, minor int
		status       int
		closes       bool
	}{
		{http.MethodGet, 1, 0, 200, true},
		{http.MethodGet, 1, 1, 200, false},
		{http.MethodGet, 2, 0, 200, false},
		{http.MethodConnect, 1, 1, 405, true},
		{http.MethodGet, 1, 0, 101, false},
	} {
		r := request(tt.method, "/a")
		r.ProtoMajor, r.ProtoMinor = tt.major, tt.minor
		w, _ := g.serve(t, r, func(w http.ResponseWriter, _ *http.Request) error {
			w.WriteHeader(tt.status)
			return nil
		})
		if w.Code != tt.status || (w.Header().Get("Connection") == "close") != tt.closes {
			t.Errorf("%+v: %d %v", tt, w.Code, w.Header())
		}
	}
}

func TestRefusalsInHandleErrorsAreNotHidden(t *testing.T) {
	t.Parallel()

	g := newTestGate(t, new(Gate), activeBody)
	var w *httptest.ResponseRecorder
	for range publicWindow.Limit + 1 {
		w = httptest.NewRecorder()
		r := caddyhttp.PrepareRequest(request(http.MethodGet, "/a"), caddy.NewReplacer(), w, &caddyhttp.Server{})
		r = new(caddyhttp.HTTPErrorConfig).WithError(r, caddyhttp.Error(http.StatusBadRequest, nil))
		err := g.ServeHTTP(w, r, caddyhttp.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) error {
			w.WriteHeader(http.StatusBadRequest) // as Caddy's last handler does
			return nil
		}))
		if err != nil {
			t.Fatal(err)
		}
	}
	if w.Code != http.StatusTooManyRequests || code(t, w) != "rate_limited" || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}

// It may have closed one direction only. It is not a failure of the gate, and a response that is no failure is kept.
func TestAClientThatLeavesIsAnsweredWithoutHandleErrors(t *testing.T) {
	t.Parallel()

	g := newTestGate(t, new(Gate), activeBody)
	g.restyled = func() bool { return true }
	for fault, want := range map[int]int{http.StatusBadGateway: StatusClientClosedRequest, 404: 404} {
		ctx, leave := context.WithCancel(t.Context())
		r := request(http.MethodGet, "/docs/a").WithContext(ctx)
		w, _ := g.serve(t, r, func(http.ResponseWriter, *http.Request) error {
			leave()
			return caddyhttp.Error(fault, ctx.Err())
		})
		if w.Code != want || field(w, "X-RateLimit-Limit") == "" {
			t.Errorf("%d: %d %v %s", fault, w.Code, w.Header(), w.Body)
		}
	}
}
