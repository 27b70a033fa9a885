package integration

import (
	"io"
	"strings"
	"testing"
	"time"
)

// beforeHandlers are the requests that net/http rejects before any handler runs.
var beforeHandlers = []struct {
	what     string
	requests []string
	status   string // of the response
}{
	{"no HTTP: a malformed request line, method or version", []string{
		"hello\r\n\r\n", "GET /api/v1/shipments\r\n\r\n", "G@T / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1.1\r\nHost: a\r\n\r\n",
		"GET / HTTQ/1.1\r\nHost: a\r\n\r\n", "GET / http/1.1\r\nHost: a\r\n\r\n", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", " GET / HTTP/1.1\r\nHost: a\r\n\r\n",
	}, "400 Bad Request"},
	{"a target that is no URI: incomplete percent-encoding, a control character, neither a path nor absolute", []string{
		"GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", "GET /% HTTP/1.1\r\nHost: a\r\n\r\n", "GET /%6 HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n", "GET /\x7f HTTP/1.1\r\nHost: a\r\n\r\n", "GET api/v1 HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET http://[::1/ HTTP/1.1\r\nHost: a\r\n\r\n",
	}, "400 Bad Request"},
	{"an HTTP version whose major number is not 1, in a request line; `HTTP/1.2` is accepted", []string{
		"GET / HTTP/0.9\r\nHost: a\r\n\r\n", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", "GET / HTTP/3.0\r\nHost: a\r\n\r\n",
	}, "505 HTTP Version Not Supported: unsupported protocol version"},
	{"HTTP/1.1 without `Host`", []string{"GET / HTTP/1.1\r\n\r\n"}, "400 Bad Request: missing required Host header"},
	{"more than one `Host`", []string{"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"}, "400 Bad Request"},
	{"a malformed `Host`", []string{"GET / HTTP/1.1\r\nHost: a b\r\n\r\n"}, "400 Bad Request: malformed Host header"},
	{"a header field without a valid name or value", []string{
		"GET / HTTP/1.1\r\nHost: a\r\nX Y: 1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX : 1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n\r\n", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: \x00\r\n\r\n",
	}, "400 Bad Request"},
	{"a `Content-Length` that is no number, or two that differ", []string{
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
	}, "400 Bad Request"},
	{"a `Transfer-Encoding` other than one `chunked`", []string{
		"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
	}, "501 Not Implemented"},
	{"a header of over 32 KiB", []string{
		"GET / HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 40<<10) + "\r\n\r\n", "GET /" + strings.Repeat("x", 40<<10) + " HTTP/1.1\r\nHost: a\r\n\r\n",
	}, "431 Request Header Fields Too Large"},
	{"an `Expect` other than `100-continue`", []string{"GET / HTTP/1.1\r\nHost: a\r\nExpect: something\r\n\r\n"}, "417 Expectation Failed"},
}

// Requests that net/http rejects get its response, without rate limit headers. They are not
// forwarded and not logged. The gate responds to every other unusual request.
func TestRequestsThatNetHTTPRejects(t *testing.T) {
	t.Parallel()

	upstream := new(visited)
	g := start(t, options{upstream: upstream, env: withoutRedis(t)})
	for _, row := range beforeHandlers {
		for _, request := range row.requests {
			got := g.exchange(t, request)
			if !strings.HasPrefix(got, "HTTP/1.1 "+row.status) || strings.Contains(strings.ToLower(got), "ratelimit") {
				t.Errorf("%.60q, %s: %.300s", request, row.what, got)
			}
			if !strings.Contains(got, "\r\nConnection: close\r\n") {
				t.Errorf("%.60q: the connection stays open: %s", request, got)
			}
		}
	}
	for _, request := range []string{
		"GET /x HTTP/1.2\r\nHost: a\r\n", "OPTIONS * HTTP/1.1\r\nHost: a\r\n", "GET * HTTP/1.1\r\nHost: a\r\n", "GET /x HTTP/1.0\r\n", "GET /x HTTP/1.0\r\nHost: a\r\n", "GET / HTTP/1.1\r\nHost:\r\n",
		"get /x HTTP/1.1\r\nHost: a\r\n", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n", "GET http://b/x HTTP/1.1\r\nHost: a\r\n", "GET http:x HTTP/1.1\r\nHost: a\r\n",
		"GET //a HTTP/1.1\r\nHost: a\r\n", "GET /%00 HTTP/1.1\r\nHost: a\r\n", "GET /\xff HTTP/1.1\r\nHost: a\r\n", "GET / HTTP/1.1\r\nHost: ..\r\n",
		strings.Repeat("M", 33) + " / HTTP/1.1\r\nHost: a\r\n",
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n",
	} {
		got := g.exchange(t, request+"Connection: close\r\n\r\n")
		if !strings.HasPrefix(got, "HTTP/1.") || strings.Count(got, "\r\nX-RateLimit-Limit: ") != 1 || !strings.Contains(got, "application/problem+json") {
			t.Errorf("%.60q: %s", request, got)
		}
	}
	if targets := upstream.take(); len(targets) > 0 {
		t.Errorf("forwarded: %q", targets)
	}
	if log := g.logOf(t, 16); strings.Count(log, `"http.log.access"`) != 16 || strings.Contains(log, "panic") {
		t.Error(log)
	}
}

// Over HTTP/2 net/http rejects headers that belong to connections of HTTP/1.1, and large ones, before any handler.
func TestRequestsThatNetHTTPRejectsOverHTTP2(t *testing.T) {
	t.Parallel()

	upstream := new(visited)
	g := start(t, options{upstream: upstream, env: withoutRedis(t)})
	for _, tt := range []struct{ name, value, status, body string }{
		{"connection", "keep-alive", "400", "request header \"Connection\" is not valid in HTTP/2"},
		{"proxy-connection", "keep-alive", "400", "request header \"Proxy-Connection\" is not valid in HTTP/2"},
		{"transfer-encoding", "chunked", "400", "request header \"Transfer-Encoding\" is not valid in HTTP/2"},
		{"upgrade", "h2c", "400", "request header \"Upgrade\" is not valid in HTTP/2"},
		{"te", "gzip", "400", "request header \"TE\" may only be \"trailers\" in HTTP/2"},
	} {
		if status, body := g.askHTTP2(t, "GET", "/api/v1/shipments", tt.name, tt.value); status != tt.status || !strings.Contains(body, tt.body) {
			t.Errorf("%s: %s %s", tt.name, status, body)
		}
	}
	large := strings.Repeat("x", 17<<10)
	if status, body := g.askHTTP2(t, "GET", "/api/v1/shipments", "x", large, "y", large); status != "431" || !strings.Contains(body, "<h1>HTTP Error 431</h1>") {
		t.Errorf("a large header: %s %s", status, body)
	}
	if status, _ := g.askHTTP2(t, "GET", "/api/v1/shipments", "te", "trailers"); status != "401" {
		t.Errorf("trailers: %s", status)
	}
	if targets := upstream.take(); len(targets) > 0 {
		t.Errorf("forwarded: %q", targets)
	}
}

// exchange sends bytes and returns the whole response. A server that closes a connection with unread bytes may reset it
// and lose the response; then exchange repeats the request.
func (g *gateway) exchange(t *testing.T, request string) string {
	t.Helper()
	for range 50 {
		conn, err := g.dial()
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
		_, _ = io.WriteString(conn, request)
		got, _ := io.ReadAll(conn)
		_ = conn.Close()
		if len(got) > 0 {
			return string(got)
		}
	}
	t.Errorf("%.60q: no response in 50 attempts", request)
	return ""
}
