package integration

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A request with X-Forwarded-For is not rejected early, so each request is sent twice: to the early rejection and to the
// gate. Except for ids and times, the two responses are equal, byte for byte.
func TestEarlyRejectionRespondsAsTheGateDoes(t *testing.T) {
	t.Parallel()

	g := start(t, options{env: withoutRedis(t)})
	spent, id := g.tokens.create(`,"rate_limit":{"limit":1,"window_seconds":86400}`)
	unused, _ := g.tokens.create("")
	for range 2 {
		g.get(t, "/api/v1/shipments", newCaller(t), spent)
	}
	mistyped := spent[:len(spent)-1] + string('a'+(spent[len(spent)-1]+1)%26)
	for name, lines := range map[string][]string{
		"429":            {"GET /api/v1/shipments?page=1 HTTP/1.1", "Authorization: Bearer " + spent},
		"429 of a HEAD":  {"HEAD /api/v1/shipments HTTP/1.1", "Authorization: bearer " + spent},
		"429, no path":   {"GET /api/v1/nowhere HTTP/1.1", "Authorization: Bearer " + spent},
		"401 missing":    {"GET /api/v1/shipments HTTP/1.1"},
		"401 scheme":     {"GET /api/v1/shipments HTTP/1.1", "Authorization: Basic x"},
		"401 mistyped":   {"POST /api/v1/shipments HTTP/1.1", "Authorization: Bearer " + mistyped, "Content-Length: 0"},
		"401 two tokens": {"GET /api/v1/shipments HTTP/1.1", "Authorization: Bearer " + spent, "Authorization: Bearer " + spent},
		"not refused":    {"GET /api/v1/shipments HTTP/1.1", "Authorization: Bearer " + unused},
		"public":         {"GET /api/v1/openapi.json HTTP/1.1"},
		"page":           {"GET /sign-in HTTP/1.1"},
	} {
		early, full := g.fresh(t, lines...), g.fresh(t, append(lines, "X-Forwarded-For: "+newCaller(t))...)
		if !strings.HasPrefix(early, "HTTP/1.1 ") || early != full {
			t.Errorf("%s: got from the early rejection\n%s\nwant, as from the gate,\n%s", name, early, full)
		}
	}

	caller, requests := newLoopback(t), 2+2*10+1
	for ; !hasTime(t, g.get(t, "/api/v1/shipments", caller, "")); requests++ {
		caller = newLoopback(t)
	}
	for range 99 {
		g.from(t, caller, "GET /api/v1/shipments HTTP/1.1")
	}
	if got := g.from(t, caller, "GET /api/v1/shipments HTTP/1.1"); !strings.HasPrefix(got, "HTTP/1.1 429 ") {
		t.Errorf("the 101st request without a token: got\n%s\nwant 429", got)
	}
	log := g.logOf(t, requests+100)
	if n := strings.Count(log, `"token_id":"`+id+`"`); n != 2+2*3 {
		t.Errorf("got %d lines with the token's id, want 8", n)
	}
}

// Every request target gets one response with all headers, is logged and counted, and the early rejection decides as the
// gate does. Nothing panics.
func TestPercentEncodedTargetsAreAnsweredAndCounted(t *testing.T) {
	t.Parallel()

	g := start(t, options{env: withoutRedis(t)})
	unknown, _ := newToken()
	for target, public := range map[string]bool{
		"/%61": false, "/%41": false, "/api/v1/shipments/ship%5F1": false, "/api/v1/shipments/ship%5f1?a=%62": false,
		"/%2e%2e/api": false, "/api/v1/%2fshipments": false, "/%25": false, "/%00": false, "/%ff%fe": false, "/%c3%a9": false,
		"/é": false, "//a": false, "/a;b=c": false, "/a,b": false, "/~a": false, "/.a": false, "/a//": false,
		"/api/v1/openapi%2Ejson": true, "/%64ocs": true, "/docs/%74okens": true, "/problems/%6eot_found": true,
		"/sign%2Din": true, "/settings/%74okens": true, "http://api.example/%61": false, "/%73ettings": true,
	} {
		for _, authorization := range []string{"", "Authorization: Bearer x", "Authorization: Bearer " + unknown} {
			lines := []string{"GET " + target + " HTTP/1.1"}
			if authorization != "" {
				lines = append(lines, authorization)
			}
			early, full := g.fresh(t, lines...), g.fresh(t, append(lines, "X-Forwarded-For: "+newCaller(t))...)
			if early != full {
				t.Errorf("%s: early\n%s\nfull\n%s", target, early, full)
			}
			want := "HTTP/1.1 401 Unauthorized\r\n"
			if public {
				want = "HTTP/1.1 200 OK\r\n"
			}
			if !strings.HasPrefix(early, want) || public == strings.Contains(early, "application/problem+json") ||
				strings.Count(early, "\r\nX-RateLimit-Limit: ") != 1 || strings.Count(early, "\r\nX-Request-ID: ") != 1 {
				t.Errorf("%s: %s", target, early)
			}
		}
	}
	if log := g.logOf(t, 25*3*2); strings.Contains(log, "panic") {
		t.Error(log)
	}
	refused := regexp.MustCompile(`requests_total\{outcome="(?:missing|invalid)_token"\} (\d+)`)
	total := 0
	for _, match := range refused.FindAllStringSubmatch(g.metrics(t), -1) {
		n, _ := strconv.Atoi(match[1])
		total += n
	}
	if want := 18 * 3 * 2; total != want {
		t.Errorf("%d refusals are counted, want %d", total, want)
	}
}

// FuzzPaths sends request targets to the early rejection and to the gate, and compares the responses.
func FuzzPaths(f *testing.F) {
	for _, target := range []string{
		"/", "/a", "/%61", "/%64ocs", "/docs", "/api/v1/shipments/ship%5F1", "/sign-in", "/sign%2Din", "/..", "//docs",
		"/docs/../api", "*", "http://other/docs", "http:docs", "/docs%2f", "/%", "?", "/\xc5\xbfettings", "/docs;x", "/a?b#c",
	} {
		f.Add("GET", target, false)
		f.Add("OPTIONS", target, true)
	}
	g := start(f, options{env: withoutRedis(f)})
	spent, _ := g.tokens.create(`,"rate_limit":{"limit":1,"window_seconds":86400}`)
	for range 2 {
		_ = g.fresh(f, "GET /api/v1/shipments HTTP/1.1", "Authorization: Bearer "+spent)
	}
	f.Fuzz(func(t *testing.T, method, target string, withToken bool) {
		line := method + " " + target + " HTTP/1.1"
		_, err := http.ReadRequest(bufio.NewReader(strings.NewReader(line + "\r\nHost: api.example\r\n\r\n")))
		if err != nil || strings.ContainsAny(line, "\r\n") {
			t.Skip("no request line, which net/http refuses before any handler")
		}
		lines := []string{line}
		if withToken {
			lines = append(lines, "Authorization: Bearer "+spent)
		}
		var early, full string
		for range 5 { // a busy machine may have answered 503 to one of them
			early, full = g.fresh(t, lines...), g.fresh(t, append(lines, "X-Forwarded-For: "+newCaller(t))...)
			if early == full && strings.HasPrefix(early, "HTTP/1.1 ") {
				return
			}
		}
		t.Errorf("early\n%s\nfull\n%s", early, full)
	})
}

// withoutRedis is the environment of a gateway that counts in memory, so that no response depends on the time that Redis
// takes.
func withoutRedis(t testing.TB) map[string]string {
	t.Helper()
	return map[string]string{"REDIS_URL": "redis://127.0.0.1:" + freePort(t), "REDIS_DOWN": "local"}
}

// changing matches what differs between responses.
var changing = regexp.MustCompile(`req_[0-9a-z]{26}|(?m)^Date: .*$|(?:^Retry-After: |^X-RateLimit-(?:Reset|Remaining): |;[tr]=)\d+`)

// fresh sends a request from a new address and returns the response without what differs between responses.
func (g *gateway) fresh(t testing.TB, lines ...string) string {
	t.Helper()
	return changing.ReplaceAllString(g.from(t, newLoopback(t), lines...), "…")
}

// from sends a request from a loopback address and returns the whole response.
func (g *gateway) from(t testing.TB, address string, lines ...string) string {
	t.Helper()
	text := g.fromOnce(t, address, lines)
	for timedOut(text) {
		text = g.fromOnce(t, address, lines)
	}
	return text
}

func (g *gateway) fromOnce(t testing.TB, address string, lines []string) string {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}, Timeout: 10 * time.Second}
	conn, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(g.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := fmt.Fprintf(conn, "%s\r\nHost: api.example\r\nConnection: close\r\n\r\n", strings.Join(lines, "\r\n")); err != nil {
		t.Fatal(err)
	}
	whole, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(whole)
}

// newLoopback returns a loopback address that no other test uses.
func newLoopback(t testing.TB) string {
	t.Helper()
	var b [3]byte
	if _, err := rand.Read(b[:]); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("127.%d.%d.%d", 100+b[0]%100, b[1], 1+b[2]%254)
}
