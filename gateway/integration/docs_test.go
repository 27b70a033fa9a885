package integration

import (
	"net/http"
	"strings"
	"testing"
)

// The gateway serves the documentation itself, without a service, Redis or a token.
func TestTheDocumentationNeedsNoService(t *testing.T) {
	t.Parallel()

	env := withoutRedis(t)
	env["SHIPMENTS_PORT"], env["TOKENS_PORT"] = freePort(t), freePort(t)
	env["TOKENS_INTERNAL_URL"] = "http://127.0.0.1:" + freePort(t)
	g := start(t, options{env: env})
	for path, want := range map[string]string{
		"/docs":                          `href="/docs/first-request"`,
		"/docs/webhooks":                 "Check the signature",
		"/docs/reference":                "Approve a shipment",
		"/docs/search?q=retry-after":     `href="/docs/limits`,
		"/problems":                      `href="/problems/validation_failed"`,
		"/problems/upstream_unreachable": "<code>upstream_unreachable</code>, status 502 Bad Gateway",
	} {
		for _, accept := range []string{"*/*", "application/json", "text/html"} {
			a := g.plainly(t, http.MethodGet, path, "", "Accept", accept)
			if a.StatusCode != http.StatusOK || !strings.Contains(a.body, want) ||
				!strings.HasPrefix(a.Header.Get("Content-Type"), "text/") ||
				a.Header.Get("X-Ratelimit-Limit") != "600" || a.Header.Get("Content-Security-Policy") == "" {
				t.Errorf("%s for %s: %s %v\n%.200s", path, accept, a.Status, a.Header, a.body)
			}
		}
		if a := g.plainly(t, http.MethodHead, path, ""); a.StatusCode != http.StatusOK || a.body != "" {
			t.Errorf("HEAD %s: %s %q", path, a.Status, a.body)
		}
	}
	if a := g.plainly(t, http.MethodGet, "/problems", "", "Accept-Encoding",
		"gzip"); a.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("not compressed: %v", a.Header)
	}
	for path, want := range map[string]string{"/favicon.ico": "<svg ", "/robots.txt": "User-agent: *\n"} {
		if a := g.plainly(t, http.MethodGet, path, ""); a.StatusCode != http.StatusOK || !strings.HasPrefix(a.body, want) {
			t.Errorf("%s: %s %.60q", path, a.Status, a.body)
		}
	}
	for _, path := range []string{"/problems/no_such_code", "/docs/other"} {
		if a := g.plainly(t, http.MethodGet, path, ""); a.StatusCode != http.StatusNotFound ||
			a.problem(t)["code"] != "not_found" {
			t.Errorf("%s: %s %s", path, a.Status, a.body)
		}
	}
	eventually(t, func() bool {
		return strings.Contains(g.plainly(t, http.MethodGet, "/status", "").body,
			`<th scope="row">Shipments</th><td><span class="status failed">Not available</span></td><td><time datetime="20`)
	}, "the status of a stopped service", g.log)
	if a := g.plainly(t, http.MethodGet, "/api/v1/openapi.json", ""); a.StatusCode != http.StatusBadGateway &&
		a.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a path of a stopped service: %s", a.Status)
	}
}
