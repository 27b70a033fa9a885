package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A request with a proxy's word about its client goes past the door, so each of these is answered by the door
// and by the gate. But for what differs from request to request, the answers are the same, byte for byte.
func TestTheDoorAnswersAsTheGateDoes(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
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
		atTheDoor, atTheGate := g.fresh(t, lines...), g.fresh(t, append(lines, "X-Forwarded-For: "+newCaller(t))...)
		if !strings.HasPrefix(atTheDoor, "HTTP/1.1 ") || atTheDoor != atTheGate {
			t.Errorf("%s: the door answers\n%s\nand the gate\n%s", name, atTheDoor, atTheGate)
		}
	}

	caller := newLoopback(t)
	for range 100 {
		g.from(t, caller, "GET /api/v1/shipments HTTP/1.1")
	}
	if got := g.from(t, caller, "GET /api/v1/shipments HTTP/1.1"); !strings.HasPrefix(got, "HTTP/1.1 429 ") {
		t.Errorf("the 101st request without a token is answered\n%s", got)
	}
	log := g.logOf(t, 2+2*10+101)
	if n := strings.Count(log, `"token_id":"`+id+`"`); n != 2+2*3 {
		t.Errorf("%d lines tell of the token", n)
	}
}

// changing is what differs from answer to answer.
var changing = regexp.MustCompile(`req_[0-9a-z]{26}|(?m)^Date: .*$|(?:^X-RateLimit-(?:Reset|Remaining): |;[tr]=)\d+`)

// fresh sends a request from a new address and returns the answer without what differs from one to the next.
func (g *gateway) fresh(t *testing.T, lines ...string) string {
	t.Helper()
	return changing.ReplaceAllString(g.from(t, newLoopback(t), lines...), "…")
}

// from sends a request from a loopback address and returns the whole answer.
func (g *gateway) from(t *testing.T, address string, lines ...string) string {
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
func newLoopback(t *testing.T) string {
	t.Helper()
	var b [3]byte
	if _, err := rand.Read(b[:]); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("127.%d.%d.%d", 100+b[0]%100, b[1], 1+b[2]%254)
}
