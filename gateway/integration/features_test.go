package integration

import (
	"io"
	"net/http"
	"strings"
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

// versioned is a service whose resource has a strong ETag.
func versioned(w http.ResponseWriter, r *http.Request) {
	kind, size := "application/json", 5000
	switch {
	case strings.HasSuffix(r.URL.Path, "small"):
		size = 100
	case strings.HasSuffix(r.URL.Path, "content"):
		kind = "text/html"
	case strings.HasSuffix(r.URL.Path, ".css"):
		kind = "text/css; charset=utf-8"
	case strings.HasSuffix(r.URL.Path, "pdf"):
		kind = "application/pdf"
	}
	w.Header().Set("ETag", `"2.7"`)
	w.Header().Set("Content-Type", kind)
	_, _ = io.WriteString(w, strings.Repeat("x", size))
}

func TestTextIsCompressed(t *testing.T) {
	t.Parallel()

	g := start(t, options{upstream: http.HandlerFunc(versioned), env: map[string]string{"REDIS_DOWN": "allow"}})
	token, _ := g.tokens.create(plenty)
	for path, compressed := range map[string]bool{
		"/api/v1/shipments":                                true,
		"/settings/style.css":                              true,
		"/api/v1/shipments/small":                          false,
		"/api/v1/shipments/pdf":                            false,
		"/api/v1/shipments/ship_1/documents/doc_1/content": false,
	} {
		for accepted, want := range map[string]string{"gzip": "gzip", "gzip, deflate, br, zstd": "zstd", "gzip;q=0": ""} {
			tag := `"2.7"`
			if !compressed {
				want = ""
			}
			if want != "" {
				tag = `"2.7-` + want + `"`
			}
			a := g.plainly(t, http.MethodGet, path, token, "Accept-Encoding", accepted)
			if got := a.Header.Get("Content-Encoding"); got != want || a.Header.Get("ETag") != tag ||
				a.StatusCode != http.StatusOK || (strings.Trim(a.body, "x") == "") != (want == "") {
				t.Errorf("%s, Accept-Encoding %q: %s %q, ETag %s", path, accepted, a.Status, got, a.Header.Get("ETag"))
			}
			if vary := strings.Join(a.Header["Vary"], ","); compressed != strings.Contains(vary, "Accept-Encoding") {
				t.Errorf("%s: Vary %q", path, vary)
			}
		}
	}
}

// The root is a page for browsers; programs are led to the documentation, and people with a session to the shipments.
func TestTheRootIsThePageOfWhoeverAsks(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	const browser = "text/html,application/xhtml+xml,*/*;q=0.8"
	for _, tt := range []struct {
		accept, cookie, location string
		status                   int
	}{
		{browser, "", "", http.StatusOK},
		{browser, "__Host-quayside=x", "/shipments", http.StatusFound},
		{"*/*", "", "/docs", http.StatusFound},
	} {
		a := g.plainly(t, http.MethodGet, "/", "", "Accept", tt.accept, "Cookie", tt.cookie)
		if a.StatusCode != tt.status || a.Header.Get("Location") != tt.location ||
			strings.Contains(a.body, "<h1>Shipments") != (tt.location == "") || a.Header.Get("X-Ratelimit-Limit") == "" {
			t.Errorf("Accept %s, Cookie %s: %s %v", tt.accept, tt.cookie, a.Status, a.Header)
		}
	}
}
