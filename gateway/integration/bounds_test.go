package integration

import (
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// These tests show the rows of the table of bounds in ../README.md that no other test shows.

// withTLS is the environment of a gateway with TLS, or without.
func withTLS(t *testing.T, on bool, more map[string]string) map[string]string {
	t.Helper()
	env := maps.Clone(more)
	if on {
		env["GATEWAY_TLS"] = "on"
		env["GATEWAY_TLS_CERTIFICATE"], env["GATEWAY_TLS_KEY"], _ = certificate(t)
	}
	return env
}

// dialFrom opens a connection from a loopback address, with TLS and without verification if on.
func (g *gateway) dialFrom(t *testing.T, address string, on bool, protocols ...string) (net.Conn, error) {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}, Timeout: 10 * time.Second}
	conn, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(g.url, "http://"))
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = conn.Close() })
	if !on {
		return conn, nil
	}
	secure := tls.Client(conn, &tls.Config{InsecureSkipVerify: true, NextProtos: protocols})
	return secure, secure.HandshakeContext(t.Context())
}

// metric returns the value of a metric with its labels, or "".
func (g *gateway) metric(t *testing.T, name string) string {
	t.Helper()
	_, after, _ := strings.Cut(g.metrics(t), "\n"+name+" ")
	value, _, _ := strings.Cut(after, "\n")
	return value
}

// One address has 1,024 connections and all together 4,096, before a handshake, too.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()

	for _, on := range []bool{false, true} {
		t.Run(fmt.Sprintf("TLS %t", on), func(t *testing.T) {
			t.Parallel()
			g := start(t, options{env: withTLS(t, on, withoutRedis(t))})
			refused := func(client, total string) {
				t.Helper()
				const name = "quayside_gateway_connections_refused_total"
				eventually(t, func() bool {
					return g.metric(t, name+`{bound="client"}`) == client && g.metric(t, name+`{bound="total"}`) == total
				}, fmt.Sprintf("%s refused of one address and %s of all", client, total), g.log)
			}
			open := func(n int) {
				t.Helper()
				address := newLoopback(t)
				for range n {
					if _, err := g.dialFrom(t, address, false); err != nil {
						t.Fatal(err)
					}
				}
			}
			open(1024 + 3)
			refused("3", "")
			for range 3 {
				open(1024)
			}
			open(5)
			refused("3", "5")
		})
	}
}

// unread opens streams on HTTP/2 connections from an address, and reads no response.
func (g *gateway) unread(t *testing.T, address, path string, connections, streams int, fields ...string) {
	t.Helper()
	for range connections {
		conn, err := g.dialFrom(t, address, false)
		if err != nil {
			t.Fatal(err)
		}
		c := newHTTP2Conn(conn)
		err = c.begin(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
		for n := 0; n < streams && err == nil; n++ {
			err = c.open(true, append([]string{
				":method", "GET", ":scheme", "http", ":authority", "api", ":path", path,
			}, fields...)...)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Clients that do not read what is public cannot use the places of others: not of tokens, whether they are in use, due
// for introspection or new, not of pages, and not of clients that use less.
func TestUnreadResponsesTakeNoPlaceFromTokensAndPages(t *testing.T) {
	t.Parallel()

	g := start(t, options{env: withoutRedis(t)})
	known, id := g.tokens.create(plenty)
	if a := g.get(t, "/api/v1/shipments", newCaller(t), known); a.StatusCode != http.StatusOK {
		t.Fatal(a.Status)
	}
	g.get(t, "/docs/reference", newCaller(t), "") // the first request makes the pages, and those beside it wait
	for range 4 {
		g.unread(t, newLoopback(t), "/docs/reference", 3, 90)
	}
	full := `quayside_gateway_requests_total{outcome="too_many_in_flight"}`
	eventually(t, func() bool { return g.metric(t, full) == fmt.Sprint(4*(3*90-64)) }, "the places are taken", g.log)

	answer, _ := g.tokens.answers.Load(known)
	g.tokens.change(known, id, answer.(string))
	unknown, _ := g.tokens.create(plenty)
	for _, tt := range []struct {
		path, token string
		want        int
	}{
		{"/api/v1/shipments", known, http.StatusOK},
		{"/api/v1/shipments", unknown, http.StatusOK},
		{"/sign-in", "", http.StatusOK},
		{"/docs/reference", "", http.StatusOK}, // a place of the client that has most
	} {
		a := g.get(t, tt.path, newCaller(t), tt.token)
		if a.StatusCode != tt.want {
			t.Errorf("%s: %s %s", tt.path, a.Status, a.body)
		}
	}
	logged := func() bool { return strings.Contains(g.log.String(), `"path":"/docs/reference","status":429`) }
	eventually(t, logged, "the refusal is in the log", g.log)
}

// Refusals that are not read take no place from other requests, and end. Others of their client are answered meanwhile.
func TestUnreadRefusalsEnd(t *testing.T) {
	t.Parallel()

	g := start(t, options{env: withoutRedis(t)})
	limited, _ := g.tokens.create(`,"rate_limit":{"limit":1,"window_seconds":3600}`)
	address := newLoopback(t)
	g.unread(t, address, "/api/v1/shipments", 1, 90, "authorization", "Bearer "+limited)
	g.unread(t, address, "/api/v1/shipments", 1, 90)
	if a := g.get(t, "/api/v1/shipments", address, ""); a.StatusCode != http.StatusUnauthorized {
		t.Errorf("%s %s", a.Status, a.body)
	}
	lines := func() int { return strings.Count(g.log.String(), "handled request") }
	eventually(t, func() bool { return lines() == 181 }, "the refusals end", g.log)
}

// A silent HTTP/2 connection gets a PING after 10 s and, without a reply, is closed within 10 s; a request header that
// is not complete after 10 s ends its connection.
func TestSilentConnectionsAreClosed(t *testing.T) {
	t.Parallel()

	for _, on := range []bool{false, true} {
		for name, text := range map[string]string{"h2": "", "http/1.1": "GET / HTTP/1.1\r\nHost: a\r\n"} {
			t.Run(fmt.Sprintf("%s, TLS %t", name, on), func(t *testing.T) {
				t.Parallel()
				g := start(t, options{env: withTLS(t, on, withoutRedis(t))})
				conn, err := g.dialFrom(t, g.client, on, name)
				if err != nil {
					t.Fatal(err)
				}
				_ = conn.SetDeadline(time.Now().Add(patience))
				if c := newHTTP2Conn(conn); name == "h2" {
					err = c.begin()
				} else {
					_, err = io.WriteString(conn, text)
				}
				got, readErr := io.ReadAll(conn)
				ping := []byte{0, 0, 8, byte(http2.FramePing), 0}
				if sent := strings.Contains(string(got), string(ping)); err != nil || readErr != nil || sent != (name == "h2") {
					t.Errorf("%v, %v, PING %t", err, readErr, sent)
				}
			})
		}
	}
}

// hungServer returns the address of a server that accepts connections and reads nothing.
func hungServer(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String()
}

// With the shipped timeouts, neither a Redis nor a tokens-svc that hangs delays a request for long.
func TestHungDependenciesDoNotHoldRequests(t *testing.T) {
	t.Parallel()

	hung := hungServer(t)
	for name, tt := range map[string]struct {
		env  map[string]string
		want int
	}{
		"Redis":      {map[string]string{"REDIS_URL": "redis://" + hung, "REDIS_DOWN": "local"}, http.StatusOK},
		"tokens-svc": {map[string]string{"TOKENS_INTERNAL_URL": "http://" + hung}, http.StatusServiceUnavailable},
	} {
		tt.env[shippedTimeouts] = "true"
		g := start(t, options{env: tt.env})
		token, _ := g.tokens.create(plenty)
		client := &http.Client{Timeout: patience / 3} // much more than is shipped, much less than other tests wait
		eventually(t, func() bool {                   // on a busy machine an introspection may be late
			response, err := client.Do(g.request(t, "/api/v1/shipments", newCaller(t), token))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			_ = response.Body.Close()
			return response.StatusCode == tt.want
		}, name, g.log)
	}
}

// An upload to a service that stops reading ends.
func TestAnUploadThatTheServiceDoesNotReadEnds(t *testing.T) {
	t.Parallel()

	stopped := make(chan struct{})
	g := start(t, options{env: withoutRedis(t), upstream: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		<-stopped
	})})
	t.Cleanup(func() { close(stopped) }) // before the service's
	token, _ := g.tokens.create(plenty)
	a := g.upload(t, token, 13<<20, 13<<20)
	if p := a.problem(t); a.StatusCode != http.StatusGatewayTimeout || p["code"] != "upstream_timeout" {
		t.Errorf("%s %s", a.Status, a.body)
	}
}

// A response of which the client reads nothing for 30 s ends, with both versions of HTTP and with TLS.
func TestAnUnreadResponseEnds(t *testing.T) {
	t.Parallel()

	ended := make(chan string, 8)
	g := start(t, options{env: withTLS(t, true, withoutRedis(t)), upstream: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			for err := error(nil); err == nil; _, err = w.Write(make([]byte, 1<<16)) {
			}
			ended <- r.URL.RawQuery
		})})
	token, _ := g.tokens.create(plenty)
	for _, name := range []string{"h2", "http/1.1"} {
		conn, err := g.dialFrom(t, g.client, true, name)
		if err != nil {
			t.Fatal(err)
		}
		if c := newHTTP2Conn(conn); name == "h2" {
			err = c.begin()
			_ = c.open(true, ":method", "GET", ":scheme", "https", ":authority", "api", ":path", "/api/v1/shipments?h2",
				"authorization", "Bearer "+token)
		} else {
			_, err = fmt.Fprintf(conn, "GET /api/v1/shipments?http/1.1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n\r\n",
				token)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	got := []string{}
	for range 2 {
		select {
		case name := <-ended:
			got = append(got, name)
		case <-time.After(3 * patience):
			t.Fatalf("only %q ended", got)
		}
	}
	if slices.Sort(got); !slices.Equal(got, []string{"h2", "http/1.1"}) {
		t.Errorf("%q", got)
	}
}
