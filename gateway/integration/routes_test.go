package integration

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// furtherService starts a service and returns its address, for a file of routes.
func furtherService(t *testing.T, service http.Handler) string {
	t.Helper()
	s := httptest.NewServer(ready(service))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// addRoutes writes a file of routes into dir and makes the gateway read it.
func (g *gateway) addRoutes(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "further.caddy"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g.reload(t)
}

// A reload adds the routes of a further service to a running gateway: also below a path of a shipped service, behind
// the gate, and without a token only on the paths of token_gate_public.
func TestAReloadAddsTheRoutesOfAService(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	g := start(t, options{env: map[string]string{"SERVICE_ROUTES": dir + "/*.caddy"}})
	token, id := g.tokens.create(plenty)
	const readings, document = "/api/v1/shipments/ship_1/temperatures", "/api/v1/openapi/further.json"
	if a := g.get(t, document, newCaller(t), ""); a.StatusCode != http.StatusUnauthorized {
		t.Errorf("before: %s", a.Status)
	}

	visits := new(recorder)
	g.addRoutes(t, dir, fmt.Sprintf(`
token_gate_public %[2]s {
	import service further %[1]s 1MiB
}
token_gate_pages /further/* {
	import service further %[1]s 1MiB
}
@readings path /api/v1/shipments/*/temperatures
handle @readings {
	import service further %[1]s 10B
}
`, furtherService(t, visits), document))

	if a := g.get(t, readings, newCaller(t), ""); a.StatusCode != http.StatusUnauthorized ||
		a.problem(t)["code"] != "missing_token" {
		t.Errorf("without a token: %s", a.Status)
	}
	if n := len(visits.take()); n != 0 {
		t.Errorf("%d requests without a token were forwarded", n)
	}
	request := g.request(t, readings, "", token)
	request.Header.Set("X-Token-ID", "forged")
	request.Header.Set("Cookie", "a=b")
	if a := g.do(t, request); a.StatusCode != http.StatusOK || a.Header.Get("X-RateLimit-Limit") == "" {
		t.Errorf("%s, %v", a.Status, a.Header)
	}
	if seen := visits.take(); len(seen) != 1 || seen[0].Header.Get("X-Token-ID") != id ||
		seen[0].Header.Get("X-Gateway-Assertion") == "" || seen[0].Header.Get("Cookie") != "" {
		t.Errorf("forwarded: %v", seen)
	}
	request = g.request(t, readings, "", token)
	request.Method, request.ContentLength = http.MethodPost, 11
	request.Body = io.NopCloser(strings.NewReader("12345678901"))
	if a := g.do(t, request); a.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a body that is too large: %s", a.Status)
	}
	_ = visits.take()
	if a := g.get(t, document, newCaller(t), ""); a.StatusCode != http.StatusOK ||
		a.Header.Get("RateLimit-Policy") != `"public";q=600;w=60` {
		t.Errorf("the public document: %s, %v", a.Status, a.Header)
	}
	request = g.request(t, "/further/page", newCaller(t), "")
	request.Header.Set("Cookie", "a=b")
	if a := g.do(t, request); a.StatusCode != http.StatusOK || a.Header.Get("RateLimit-Policy") != `"page";q=600;w=60` {
		t.Errorf("the page: %s, %v", a.Status, a.Header)
	}
	if all := visits.take(); len(all) != 2 || all[1].Header.Get("Cookie") != "a=b" {
		t.Errorf("forwarded: %v", all)
	}
	if a := g.get(t, "/api/v1/shipments/ship_1", newCaller(t), token); a.StatusCode != http.StatusOK ||
		len(visits.take()) != 0 {
		t.Errorf("a shipped path: %s", a.Status)
	}
}

// A person who mistypes an address gets a page, a program is asked for its token, there and below /api.
func TestPeopleAreNotAskedForATokenWhereThereIsNoPage(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	for _, tt := range []struct {
		path, accept string
		want         int
	}{
		{"/shipmentz", "text/html", http.StatusNotFound},
		{"/shipmentz", "*/*", http.StatusUnauthorized},
		{"/api/v1/shipments", "text/html", http.StatusUnauthorized},
	} {
		request := g.request(t, tt.path, newCaller(t), "")
		request.Header.Set("Accept", tt.accept)
		a := g.do(t, request)
		if a.StatusCode != tt.want || a.Header.Get("X-RateLimit-Limit") == "" {
			t.Errorf("%s of %s: %s, %v, want %d", tt.path, tt.accept, a.Status, a.Header, tt.want)
		}
	}
}
