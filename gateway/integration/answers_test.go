package integration

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// wireAnswer is a response as received: its header names are as sent.
type wireAnswer struct {
	status int
	lines  []string
	body   string
}

// send sends one request on a connection of its own and reads everything until the other side closes.
func (g *gateway) send(t *testing.T, lines ...string) wireAnswer {
	t.Helper()
	conn, err := g.dial()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	head := append(lines[:1:1], append([]string{"Connection: close"}, lines[1:]...)...)
	if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "Host:") }) {
		head = slices.Insert(head, 1, "Host: api")
	}
	if _, err := io.WriteString(conn, strings.Join(head, "\r\n")+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(conn)
	var a wireAnswer
	for {
		line, err := reader.ReadString('\n')
		if err != nil {
			t.Fatalf("%v after %q; the gateway's log:\n%s", err, a.lines, g.log)
		}
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			break
		}
		a.lines = append(a.lines, line)
	}
	if _, err := fmt.Sscanf(a.lines[0], "HTTP/1.1 %d", &a.status); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	a.body = string(rest)
	return a
}

// values returns the values of the header lines whose name is exactly name.
func (a wireAnswer) values(name string) (values []string) {
	for _, line := range a.lines {
		if value, ok := strings.CutPrefix(line, name+": "); ok {
			values = append(values, value)
		}
	}
	return values
}

// countHeader counts the header lines of that name in upper or lower case.
func (a wireAnswer) countHeader(name string) (n int) {
	for _, line := range a.lines {
		if len(line) > len(name) && strings.EqualFold(line[:len(name)], name) && line[len(name)] == ':' {
			n++
		}
	}
	return n
}

// misbehaving is a service with invalid responses, chosen by the path.
func misbehaving(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	for _, name := range []string{
		"X-RateLimit-Limit", "x-ratelimit-remaining", "X-Ratelimit-Reset", "RATELIMIT",
		"RateLimit-Policy", "Sunset", "X-Request-ID",
	} {
		header[name] = []string{"of the service", "twice"}
	}
	switch strings.TrimPrefix(r.URL.Path, "/api/v1/shipments/") {
	case "streamed":
		_ = http.NewResponseController(w).Flush()
		_, _ = io.WriteString(w, "streamed")
	case "early-hints":
		header.Set("Link", "</a>")
		w.WriteHeader(http.StatusEarlyHints)
		_, _ = io.WriteString(w, "after hints")
	case "trailers":
		header.Set("Trailer", "X-Checksum")
		_, _ = io.WriteString(w, "with trailers")
		header.Set("X-Checksum", "1")
	case "own-503":
		header.Set("Retry-After", "7")
		w.WriteHeader(http.StatusServiceUnavailable)
	case "broken":
		panic(http.ErrAbortHandler)
	case "hung":
		<-r.Context().Done()
	default:
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "{}")
	}
}

// Every response has each documented header once, with the documented name.
func TestEveryResponseHasTheRateLimitHeadersOnce(t *testing.T) {
	t.Parallel()

	g := start(t, options{upstream: http.HandlerFunc(misbehaving), env: map[string]string{"TOKENS_PORT": freePort(t)}})
	token, _ := g.tokens.create("")
	spent, _ := g.tokens.create(`,"rate_limit":{"limit":1,"window_seconds":86400}`)
	g.get(t, "/api/v1/shipments", newCaller(t), spent)
	bearer := "Authorization: Bearer " + token
	// One byte too long and no more: unread bytes make a server reset the connection.
	chunked := fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0", 1<<20+1, strings.Repeat("x", 1<<20+1))

	for name, tt := range map[string]struct {
		lines  []string
		status int
		code   string // of the gateway's own responses
		policy string
		also   []string
	}{
		"200":               {[]string{"GET /api/v1/shipments HTTP/1.1", bearer}, 200, "", "token", nil},
		"200 streamed":      {[]string{"GET /api/v1/shipments/streamed HTTP/1.1", bearer}, 200, "", "token", nil},
		"200 with trailers": {[]string{"GET /api/v1/shipments/trailers HTTP/1.1", bearer}, 200, "", "token", nil},
		"200 public":        {[]string{"GET /api/v1/openapi.json HTTP/1.1"}, 200, "", "public", nil},
		"405 public": {
			[]string{"POST /docs HTTP/1.1", "Content-Length: 1\r\n\r\nx"},
			405,
			"method_not_allowed", "public",
			[]string{"Allow: GET, HEAD"},
		},
		"401 without a token": {
			[]string{"GET /api/v1/shipments HTTP/1.1"},
			401, "missing_token", "no-token",
			[]string{`WWW-Authenticate: Bearer realm="shipments"`, "Cache-Control: no-store"},
		},
		"401 with a malformed one": {
			[]string{"GET /api/v1/shipments HTTP/1.1", bearer + "x"},
			401, "invalid_token",
			"no-token",
			[]string{
				`WWW-Authenticate: Bearer realm="shipments", error="invalid_token", ` +
					`error_description="The API token is malformed: send it whole, in one Authorization header."`,
				"Cache-Control: no-store",
			},
		},
		"400 before any handler": {
			[]string{"GET /api/v1/shipments HTTP/1.1", "Host: ..", bearer},
			400, "bad_request",
			"public", nil,
		},
		"405 before any handler": {
			[]string{strings.Repeat("GET", 20) + " /api/v1/shipments HTTP/1.1", bearer},
			405,
			"method_not_allowed", "public", nil,
		},
		"404": {[]string{"GET /nowhere HTTP/1.1", bearer}, 404, "not_found", "token", nil},
		"405 of TRACE": {
			[]string{"TRACE /api/v1/shipments HTTP/1.1", bearer},
			405, "method_not_allowed",
			"token",
			[]string{"Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"},
		},
		"413 by chunks": {
			[]string{"POST /api/v1/shipments HTTP/1.1", bearer, chunked},
			413, "body_too_large",
			"token", nil,
		},
		"429": {
			[]string{"GET /api/v1/shipments HTTP/1.1", "Authorization: Bearer " + spent},
			429,
			"rate_limited", "token",
			[]string{"Cache-Control: no-store"},
		},
		"503 no address": {
			[]string{"GET /api/v1/token HTTP/1.1", bearer},
			503, "upstream_unavailable", "token",
			[]string{"Retry-After: 2", "Cache-Control: no-store"},
		},
		"502 aborted": {
			[]string{"POST /api/v1/shipments/broken HTTP/1.1", bearer, "Content-Length: 0"},
			502,
			"upstream_unreachable", "token", nil,
		},
		"503 of the service": {
			[]string{"GET /api/v1/shipments/own-503 HTTP/1.1", bearer},
			503, "", "token",
			[]string{"Retry-After: 7", "Cache-Control: no-store"},
		},
		"504": {
			[]string{"GET /api/v1/shipments/hung HTTP/1.1", bearer},
			504, "upstream_timeout",
			"token", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := g.send(t, append(tt.lines[:1:1], append([]string{"X-Forwarded-For: " + newCaller(t)}, tt.lines[1:]...)...)...)
			if a.status != tt.status {
				t.Fatalf("%s\n%s\n%s", a.lines[0], a.body, g.log)
			}
			for spelling, form := range map[string]string{
				"X-RateLimit-Limit": `^\d+$`, "X-RateLimit-Remaining": `^\d+$`, "X-RateLimit-Reset": `^\d{10}$`,
				"RateLimit-Policy": `^"` + tt.policy + `";q=\d+;w=\d+$`, "RateLimit": `^"` + tt.policy + `";r=\d+;t=[1-9]\d*$`,
				"X-Request-ID": `^req_[0-7][0-9a-hjkmnp-tv-z]{25}$`,
			} {
				values := a.values(spelling)
				if len(values) != 1 || a.countHeader(spelling) != 1 || !regexp.MustCompile(form).MatchString(values[0]) {
					t.Errorf("%s: %q in\n%s", spelling, values, strings.Join(a.lines, "\n"))
				}
			}
			if strings.Contains(strings.Join(a.lines, "\n")+a.body, "of the service") ||
				a.countHeader("Sunset")+a.countHeader("Server")+a.countHeader("Via") > 0 {
				t.Errorf("headers that services must not set or the gateway must not send:\n%s\n%s", strings.Join(a.lines, "\n"),
					a.body)
			}
			for _, line := range tt.also {
				if name, value, _ := strings.Cut(line, ": "); a.countHeader(name) != 1 || a.values(name) == nil ||
					a.values(name)[0] != value {
					t.Errorf("want one line %s in\n%s", line, strings.Join(a.lines, "\n"))
				}
			}
			if tt.code != "" && !strings.Contains(a.body,
				`"code":"`+tt.code+`","request_id":"`+a.values("X-Request-ID")[0]+`"`) {
				t.Errorf("body %s", a.body)
			}
			if tt.status == http.StatusTooManyRequests && a.countHeader("Retry-After") != 1 {
				t.Error("no Retry-After")
			}
		})
	}
}
