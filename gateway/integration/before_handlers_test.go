package integration

import (
	"io"
	"strings"
	"testing"
	"time"
)

// The gate responds to every unusual request that net/http accepts, and forwards none of them.
func TestUnusualRequestsGetTheGatesResponse(t *testing.T) {
	t.Parallel()

	upstream := new(recorder)
	g := start(t, options{upstream: upstream, env: withoutRedis(t)})
	for _, request := range []string{
		"GET /x HTTP/1.2\r\nHost: a\r\n", "OPTIONS * HTTP/1.1\r\nHost: a\r\n", "GET * HTTP/1.1\r\nHost: a\r\n",
		"GET /x HTTP/1.0\r\n", "GET /x HTTP/1.0\r\nHost: a\r\n", "GET / HTTP/1.1\r\nHost:\r\n",
		"get /x HTTP/1.1\r\nHost: a\r\n", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n", "GET http://b/x HTTP/1.1\r\nHost: a\r\n",
		"GET http:x HTTP/1.1\r\nHost: a\r\n",
		"GET //a HTTP/1.1\r\nHost: a\r\n", "GET /%00 HTTP/1.1\r\nHost: a\r\n", "GET /\xff HTTP/1.1\r\nHost: a\r\n",
		"GET / HTTP/1.1\r\nHost: ..\r\n",
		strings.Repeat("M", 33) + " / HTTP/1.1\r\nHost: a\r\n",
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n",
	} {
		got := g.exchange(t, request+"Connection: close\r\n\r\n")
		if !strings.HasPrefix(got, "HTTP/1.") || strings.Count(got, "\r\nX-RateLimit-Limit: ") != 1 ||
			!strings.Contains(got, "application/problem+json") {
			t.Errorf("%.60q: %s", request, got)
		}
	}
	if targets := upstream.targets(); len(targets) > 0 {
		t.Errorf("forwarded: %q", targets)
	}
	if log := g.logOf(t, 16); strings.Count(log, `"http.log.access"`) != 16 || strings.Contains(log, "panic") {
		t.Error(log)
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
		_ = conn.SetDeadline(time.Now().Add(patience))
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
