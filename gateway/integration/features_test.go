package integration

import (
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// plainly sends a request without the headers that net/http adds, and returns the response with its body undecoded.
func (g *gateway) plainly(t *testing.T, method, path, token string, headers ...string) answer {
	t.Helper()
	request := g.request(t, path, newCaller(t), token)
	request.Method = method
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := (&http.Transport{DisableCompression: true}).RoundTrip(request)
	if err != nil {
		t.Fatalf("%v; the log:\n%s", err, g.log)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response, string(body)}
}

// decoded returns the body of a, decompressed.
func (a answer) decoded(t *testing.T) string {
	t.Helper()
	var from io.Reader = strings.NewReader(a.body)
	switch a.Header.Get("Content-Encoding") {
	case "gzip":
		unpacked, err := gzip.NewReader(from)
		if err != nil {
			t.Fatal(err)
		}
		from = unpacked
	case "zstd":
		if magic := "\x28\xb5\x2f\xfd"; !strings.HasPrefix(a.body, magic) {
			t.Errorf("%.20q is no frame of zstd", a.body)
		}
		return ""
	}
	text, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// versioned is a service whose resource has a strong ETag, and which evaluates conditions.
func versioned(w http.ResponseWriter, r *http.Request) {
	const tag = `"2.7"`
	header := w.Header()
	header.Set("ETag", tag)
	kind, size := "application/json", 5000
	switch {
	case strings.HasSuffix(r.URL.Path, "small"):
		size = 100
	case strings.HasSuffix(r.URL.Path, "content"):
		kind = "text/html"
	case r.URL.Path == "/settings":
		kind = "text/html; charset=utf-8"
	case strings.HasSuffix(r.URL.Path, ".css"):
		kind = "text/css; charset=utf-8"
	case strings.HasSuffix(r.URL.Path, "pdf"):
		kind = "application/pdf"
	}
	switch {
	case r.Header.Get("If-Match") != "" && r.Header.Get("If-Match") != tag:
		w.WriteHeader(http.StatusPreconditionFailed)
	case r.Header.Get("If-None-Match") == tag:
		w.WriteHeader(http.StatusNotModified)
	default:
		header.Set("Content-Type", kind)
		_, _ = io.WriteString(w, strings.Repeat("x", size))
	}
}

func TestTextIsCompressed(t *testing.T) {
	t.Parallel()

	g := start(t, options{upstream: http.HandlerFunc(versioned), env: map[string]string{"REDIS_DOWN": "allow"}})
	token, _ := g.tokens.create(plenty)
	for path, compressed := range map[string]bool{
		"/api/v1/shipments":       true,
		"/settings":               true,
		"/settings/style.css":     true,
		"/api/v1/shipments/small": false,
		"/api/v1/shipments/pdf":   false,
		"/api/v1/shipments/ship_1/documents/doc_1/content": false,
	} {
		for accepted, want := range map[string]string{
			"gzip": "gzip", "zstd": "zstd", "gzip, deflate, br, zstd": "zstd",
			"br": "", "gzip;q=0": "", "": "",
		} {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				var headers []string
				if accepted != "" {
					headers = []string{"Accept-Encoding", accepted}
				}
				a := g.plainly(t, method, path, token, headers...)
				if !compressed {
					want = ""
				}
				tag := `"2.7"`
				if want != "" {
					tag = `"2.7-` + want + `"`
				}
				if method == http.MethodHead && want != "" && a.Header.Get("Content-Encoding") == "" {
					continue // without a Content-Length the length is unknown
				}
				if got := a.Header.Get("Content-Encoding"); got != want || a.Header.Get("ETag") != tag ||
					a.StatusCode != http.StatusOK {
					t.Errorf("%s %s, Accept-Encoding %q: %s %q, ETag %s", method, path, accepted, a.Status, got, a.Header.Get("ETag"))
				}
				if vary := strings.Join(a.Header["Vary"], ","); method == http.MethodGet &&
					compressed != strings.Contains(vary, "Accept-Encoding") {
					t.Errorf("%s: Vary %q", path, vary)
				}
				if method == http.MethodGet && strings.Trim(a.decoded(t), "x") != "" {
					t.Errorf("%s: %.40q", path, a.decoded(t))
				}
			}
		}
	}
}

// The ETag of a compressed response works in every condition, and a 304 has the ETag that the client sent.
func TestETagsOfCompressedResponsesWorkInConditions(t *testing.T) {
	t.Parallel()

	g := start(t, options{upstream: http.HandlerFunc(versioned), env: map[string]string{"REDIS_DOWN": "allow"}})
	token, _ := g.tokens.create(plenty)
	for _, accepted := range []string{"gzip", "zstd", ""} {
		for tag, own := range map[string]bool{
			`"2.7"`: true, `"2.7-gzip"`: true, `"2.7-zstd"`: true, `"2.8-gzip"`: false,
			`"2.7-gzip2"`: false,
		} {
			match := g.plainly(t, http.MethodPatch, "/api/v1/shipments/ship_1", token, "If-Match", tag, "Accept-Encoding",
				accepted)
			if passed := match.StatusCode == http.StatusOK; passed != own {
				t.Errorf("If-Match %s: %s", tag, match.Status)
			}
			none := g.plainly(t, http.MethodGet, "/api/v1/shipments/ship_1", token, "If-None-Match", tag, "Accept-Encoding",
				accepted)
			if known := none.StatusCode == http.StatusNotModified; known != own || known && none.Header.Get("ETag") != tag {
				t.Errorf("If-None-Match %s: %s, ETag %s", tag, none.Status, none.Header.Get("ETag"))
			}
		}
	}
}

func TestCORSIsOffByDefault(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	token, _ := g.tokens.create("")
	a := g.plainly(t, http.MethodGet, "/api/v1/shipments", token, "Origin", "https://app.example")
	for name := range a.Header {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("%s: %s", name, a.Header.Get(name))
		}
	}
	a = g.plainly(t, http.MethodOptions, "/api/v1/shipments", "", "Origin", "https://app.example",
		"Access-Control-Request-Method", "GET")
	if a.StatusCode != http.StatusUnauthorized || a.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("a preflight request: %s %v", a.Status, a.Header)
	}
}

// Pages of the origins in CORS_ALLOWED_ORIGINS can use the API. A preflight request needs no token and costs none.
func TestCORSOfAllowedOrigins(t *testing.T) {
	t.Parallel()

	var received atomic.Int32
	env := map[string]string{"CORS_ALLOWED_ORIGINS": "https://app.example http://localhost:3000", "REDIS_DOWN": "allow"}
	g := start(t, options{env: env, upstream: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions {
			received.Add(1)
		}
		_, _ = io.WriteString(w, "{}")
	})})
	token, _ := g.tokens.create("")
	for origin, allowed := range map[string]bool{
		"https://app.example": true, "http://localhost:3000": true, "http://app.example": false,
		"https://app.example.evil.example": false,
		"https://xapp.example":             false, "null": false, "https://APP.example": false,
	} {
		want := map[bool]string{true: origin, false: ""}[allowed]
		for _, path := range []string{"/api/v1/shipments", "/api/v1/tokens"} {
			a := g.plainly(t, http.MethodOptions, path, "", "Origin", origin, "Access-Control-Request-Method", "PATCH",
				"Access-Control-Request-Headers", "authorization,if-match")
			if passed := a.StatusCode == http.StatusNoContent; passed != allowed ||
				a.Header.Get("Access-Control-Allow-Origin") != want {
				t.Errorf("a preflight request of %s: %s %v", origin, a.Status, a.Header)
			}
			if allowed && (!strings.Contains(a.Header.Get("Access-Control-Allow-Methods"), "PATCH") ||
				!strings.Contains(a.Header.Get("Access-Control-Allow-Headers"), "Authorization") ||
				a.Header.Get("X-Ratelimit-Limit") == "") {
				t.Errorf("a preflight request of %s: %v", origin, a.Header)
			}
		}
		for token, status := range map[string]int{token: http.StatusOK, "": http.StatusUnauthorized} {
			a := g.plainly(t, http.MethodGet, "/api/v1/shipments", token, "Origin", origin)
			exposed := a.Header.Get("Access-Control-Expose-Headers")
			if a.StatusCode != status || a.Header.Get("Access-Control-Allow-Origin") != want ||
				a.Header.Get("Access-Control-Allow-Credentials") != "" ||
				!strings.Contains(strings.Join(a.Header["Vary"], ","), "Origin") {
				t.Errorf("%s: %s %v", origin, a.Status, a.Header)
			}
			for _, name := range []string{
				"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Location", "ETag",
				"Link", "Retry-After", "X-Request-ID",
			} {
				if allowed && !strings.Contains(exposed, name) {
					t.Errorf("%s is not exposed: %s", name, exposed)
				}
			}
		}
		if a := g.plainly(t, http.MethodGet, "/settings", "", "Origin",
			origin); a.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("pages of %s can read the settings: %v", origin, a.Header)
		}
	}
	if n := received.Load(); n > 0 {
		t.Errorf("%d preflight requests reached a service", n)
	}
}

// The root redirects browsers to the settings and other clients to the documentation.
func TestTheRootRedirects(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	for accept, want := range map[string]string{
		"text/html;q=0": "/docs", "text/html;q=0, */*": "/docs", "application/json, text/html;q=0.9": "/docs",
		"text/html,application/xhtml+xml,*/*;q=0.8": "/settings", "*/*": "/docs", "application/json": "/docs",
	} {
		a := g.plainly(t, http.MethodGet, "/", "", "Accept", accept)
		if a.StatusCode != http.StatusFound || a.Header.Get("Location") != want || a.Header.Get("X-Ratelimit-Limit") == "" {
			t.Errorf("Accept %s: %s %v", accept, a.Status, a.Header)
		}
	}
}

// Paths that browsers and crawlers request at every site are served without a service and Redis.
func TestIconAndRobotsExist(t *testing.T) {
	t.Parallel()

	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	g := start(t, options{env: map[string]string{
		"SHIPMENTS_PORT": freePort(t), "TOKENS_PORT": freePort(t),
		"REDIS_URL": "redis://" + closed.Addr().String(), "REDIS_DOWN": "deny",
	}})
	for path, want := range map[string][2]string{
		"/favicon.ico": {"image/svg+xml", "<svg "},
		"/robots.txt":  {"text/plain; charset=utf-8", "User-agent: *\n"},
	} {
		a := g.plainly(t, http.MethodGet, path, "")
		if a.StatusCode != http.StatusOK || a.Header.Get("Content-Type") != want[0] || !strings.HasPrefix(a.body, want[1]) ||
			a.Header.Get("Cache-Control") == "" {
			t.Errorf("%s: %s %v %.60q", path, a.Status, a.Header, a.body)
		}
	}
}

// Clients that prefer text/html get errors as HTML, from the gate and from services; others get problem+json.
func TestErrorsAreHTMLForBrowsers(t *testing.T) {
	t.Parallel()

	problem := func(w http.ResponseWriter, status int, body string) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
	g := start(t, options{upstream: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/v1/openapi.json":
			problem(w, http.StatusNotFound,
				`{"type":"/problems/not_found","title":"Not <found>","status":404,`+
					`"detail":"there is no such code","code":"not_found"}`)
		case "/api/v1/openapi/tokens.json":
			problem(w, http.StatusInternalServerError, `{"title"`)
		default:
			_, _ = io.WriteString(w, "{}")
		}
	}), env: map[string]string{"REDIS_DOWN": "allow"}})
	token, _ := g.tokens.create(plenty)
	for _, tt := range []struct {
		path, token string
		status      int
		code, facts string
	}{
		{"/api/v1/shipments", "", 401, "missing_token", "Missing API token"},
		{"/nowhere", "", 401, "missing_token", "Missing API token"},
		{"/nowhere", token, 404, "not_found", "There is nothing at this path."},
		{"/api/v1/openapi.json", "", 404, "not_found", "Not &lt;found&gt;"},
		{"/api/v1/openapi/tokens.json", "", 500, "internal_error", "Internal Server Error"},
	} {
		a := g.plainly(t, http.MethodGet, tt.path, tt.token, "Accept", "text/html,application/xhtml+xml,*/*;q=0.8",
			"Accept-Encoding", "gzip")
		if a.StatusCode != tt.status || a.Header.Get("Content-Type") != "text/html; charset=utf-8" ||
			!strings.Contains(a.body, tt.facts) ||
			!strings.Contains(a.body, "/problems/"+tt.code) || !strings.Contains(a.body, a.Header.Get("X-Request-ID")) ||
			a.Header.Get("X-Ratelimit-Limit") == "" {
			t.Errorf("%s for a browser: %s %v\n%s", tt.path, a.Status, a.Header, a.body)
		}
		if !strings.Contains(strings.Join(a.Header["Vary"], ","), "Accept") {
			t.Errorf("%s: Vary %q", tt.path, a.Header["Vary"])
		}
		for _, accept := range []string{"*/*", "application/json", "application/json, text/html;q=0.9"} {
			a := g.plainly(t, http.MethodGet, tt.path, tt.token, "Accept", accept)
			if a.StatusCode != tt.status || a.Header.Get("Content-Type") != "application/problem+json" || a.body != `{"title"` &&
				a.problem(t)["code"] != tt.code {
				t.Errorf("%s for Accept %s: %s %v\n%s", tt.path, accept, a.Status, a.Header, a.body)
			}
		}
	}
}
