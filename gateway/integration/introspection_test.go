package integration

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Of 200 concurrent unknown tokens from one address, tokens-svc receives at most as many introspections as the
// window of the address allows. Valid tokens do not count in that window.
func TestConcurrentUnknownTokensAreIntrospectedWithinTheWindowOnly(t *testing.T) {
	t.Parallel()

	g := start(t, options{env: withoutRedis(t)}) // the gateway counts in memory, independent of the load
	const valid = 150
	for _, network := range []string{newLoopback(t), newCaller(t)} {
		caller := network
		for !hasTime(t, g.get(t, "/api/v1/shipments", caller, "")) { // costs 1
			caller = newCaller(t)
		}
		var good, retried atomic.Int64
		var all sync.WaitGroup
		for range valid {
			token, _ := g.tokens.create("")
			all.Go(func() {
				for range 20 { // 503 and 504: the machine is too busy to introspect within 250 ms, or to forward
					a := g.once(t, g.request(t, "/api/v1/shipments", caller, token))
					if a.StatusCode == http.StatusOK {
						good.Add(1)
						return
					}
					if a.StatusCode != http.StatusServiceUnavailable && a.StatusCode != http.StatusGatewayTimeout {
						t.Errorf("a valid token: %s %s", a.Status, a.body)
						return
					}
					retried.Add(1)
				}
			})
		}
		all.Wait()
		if good.Load() != valid {
			t.Errorf("%d valid tokens passed, %d got Retry-After", good.Load(), retried.Load())
		}

		before := g.tokens.introspections.Load()
		var refused, limited, later atomic.Int64
		for range 200 {
			token, _ := newToken()
			all.Go(func() {
				switch a := g.once(t, g.request(t, "/api/v1/shipments", caller, token)); a.StatusCode {
				case http.StatusUnauthorized:
					refused.Add(1)
				case http.StatusTooManyRequests:
					limited.Add(1)
				case http.StatusServiceUnavailable:
					later.Add(1)
				default:
					t.Errorf("%s", a.Status)
				}
			})
		}
		all.Wait()
		received := g.tokens.introspections.Load() - before
		if refused.Load() > 99 || refused.Load()+later.Load() < 99 || refused.Load()+limited.Load()+later.Load() != 200 {
			t.Errorf("got %d of 401, %d of 429, %d of 503, want 99 of 401 and the others 429", refused.Load(), limited.Load(), later.Load())
		}
		// An introspection that times out is not counted, and is repeated once if the connection broke.
		if received > 99+2*later.Load() {
			t.Errorf("tokens-svc received %d introspections, want at most 99 and 2 for each of %d responses of 503", received, later.Load())
		}
	}
}

// Introspections use all tokens services behind one name in turn; the loss of one fails no request.
func TestIntrospectionUsesAllAddressesOfAName(t *testing.T) {
	t.Parallel()

	first := newTokensService(t)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(first.URL, "http://"))
	var second atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/introspect") {
			second.Add(1)
		}
		first.Config.Handler.ServeHTTP(w, r)
	}))
	listener, err := net.Listen("tcp", "127.0.0.2:"+port)
	if err != nil {
		t.Fatal(err)
	}
	_ = server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	t.Cleanup(first.Close) // ends the streams of both
	names := newNameServer(t, netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2"))
	env := withoutRedis(t)
	env["TOKENS_INTERNAL_URL"] = fmt.Sprintf("http://tokens.test.:%s", port)
	env[nameServerVariable] = names.address
	g := start(t, options{tokens: first, env: env})

	introspections := func(n int) (both, atSecond int64) {
		b, s := first.introspections.Load(), second.Load()
		for range n {
			token, _ := first.create("")
			eventually(t, func() bool { return g.get(t, "/api/v1/shipments", newCaller(t), token).StatusCode == http.StatusOK }, "an answer", g.log)
		}
		return first.introspections.Load() - b, second.Load() - s
	}
	if both, atSecond := introspections(40); atSecond < both/4 || atSecond > both*3/4 {
		t.Errorf("of %d introspections the second received %d", both, atSecond)
	}
	server.CloseClientConnections()
	server.Close()
	failures := 0
	for range 40 {
		token, _ := first.create("")
		if a := g.get(t, "/api/v1/shipments", newCaller(t), token); a.StatusCode != http.StatusOK {
			failures++
		}
	}
	if failures > 4 { // on a busy machine some time out
		t.Errorf("%d of 40 tokens could not be checked with one of two tokens services", failures)
	}
}
