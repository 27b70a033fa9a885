package integration

import (
	"strings"
	"testing"
)

// HTTP/2 can carry methods and queries that the request line of HTTP/1.1, which the services are sent, cannot. The
// response is 400, with or without a token: such requests are not forwarded and are not counted as failures of a
// service, which would eject it.
func TestHTTP2RequestsThatHTTP1CannotExpressAre400(t *testing.T) {
	t.Parallel()

	visits := new(headersSeen)
	g := start(t, options{upstream: visits, env: map[string]string{"REDIS_DOWN": "allow"}})
	token, _ := g.tokens.create(plenty)
	g.introspect(t, token)
	_ = visits.take()
	for _, tt := range []struct{ method, path string }{
		{"GET /x", "/api/v1/shipments"},
		{"GET\t/x", "/api/v1/shipments"},
		{"(GET)", "/api/v1/shipments"},
		{`G"T`, "/api/v1/shipments"},
		{"G\u00c9T", "/api/v1/shipments"},
		{" ", "/api/v1/shipments"},
		{"GET / HTTP/1.1", "/api/v1/shipments"},
		{"(POST)", "/settings"},
		{"GET", "/api/v1/shipments?a b"},
		{"GET", "/api/v1/shipments?a HTTP/1.1"},
		{"GET", "/settings?a b"},
	} {
		status, body := g.askHTTP2(t, tt.method, tt.path, "authorization", "Bearer "+token)
		if status != "400" || !strings.Contains(body, `"code":"bad_request"`) {
			t.Errorf("%q: %s %s", tt, status, body)
		}
	}
	if n := len(visits.take()); n != 0 {
		t.Errorf("%d were forwarded", n)
	}
	if metrics := g.metrics(t); strings.Contains(metrics, "quayside_gateway_upstream_failures_total{") {
		t.Errorf("a failure of a service is counted:\n%s", metrics)
	}
	if status, body := g.askHTTP2(t, "QUERY", "/api/v1/shipments?a%20b", "authorization", "Bearer "+token); status != "200" {
		t.Errorf("another method: %s %s", status, body)
	}
}

// A request with two lengths is refused, as net/http does over HTTP/1.1; it would be forwarded with the first of them.
func TestTwoContentLengthsOverHTTP2AreRefused(t *testing.T) {
	t.Parallel()

	visits := new(headersSeen)
	g := start(t, options{upstream: visits, env: map[string]string{"REDIS_DOWN": "allow"}})
	token, _ := g.tokens.create(plenty)
	g.introspect(t, token)
	_ = visits.take()
	for lengths, want := range map[[2]string]string{{"2", "3"}: "400", {"3", "2"}: "400", {"2", "x"}: "400", {"2", ""}: "200"} {
		fields := []string{":method", "POST", ":scheme", "http", ":authority", "api", ":path", "/api/v1/shipments", "authorization", "Bearer " + token}
		for _, length := range lengths {
			if length != "" {
				fields = append(fields, "content-length", length)
			}
		}
		c := g.dialHTTP2(t)
		if err := c.open(false, fields...); err != nil {
			t.Fatal(err)
		}
		_ = c.WriteData(c.stream, true, []byte("{}"))
		if status, body := c.answer(); status != want {
			t.Errorf("%v: %s %s, want %s", lengths, status, body, want)
		}
		_ = c.Close()
	}
	if n := len(visits.take()); n != 1 {
		t.Errorf("%d were forwarded, want 1", n)
	}
}
