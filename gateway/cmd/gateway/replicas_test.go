package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Two services behind one name, as localhost stands for two addresses: both are used, and when one goes
// away nobody notices.
func TestAllReplicasOfANameAreUsed(t *testing.T) {
	t.Parallel()

	first, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(first.Addr().String())
	second, err := net.Listen("tcp6", "[::1]:"+port)
	if addresses, lookupErr := net.LookupHost("localhost"); err != nil || lookupErr != nil || len(addresses) < 2 {
		_ = first.Close()
		t.Skipf("localhost is not two addresses here: %v, %v, %v", addresses, lookupErr, err)
	}
	serve := func(listener net.Listener, name string) *httptest.Server {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, name)
		}))
		_ = server.Listener.Close()
		server.Listener = listener
		server.Start()
		t.Cleanup(server.Close)
		return server
	}
	one := serve(first, "one")
	serve(second, "two")

	g := start(t, options{env: map[string]string{"SHIPMENTS_HOST": "localhost", "SHIPMENTS_PORT": port}})
	token, _ := g.tokens.create("")
	count := map[string]int{}
	for range 20 {
		count[g.get(t, "/api/v1/shipments", newCaller(t), token).body]++
	}
	if count["one"] != 10 || count["two"] != 10 {
		t.Errorf("answers by replica: %v", count)
	}
	one.CloseClientConnections()
	one.Close()
	for range 20 {
		if a := g.get(t, "/api/v1/shipments", newCaller(t), token); a.StatusCode != http.StatusOK || a.body != "two" {
			t.Errorf("with one replica gone: %s %s", a.Status, a.body)
		}
	}
}

func TestReloadKeepsKnownTokens(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	token, _ := g.tokens.create("")
	if a := g.get(t, "/api/v1/shipments", newCaller(t), token); a.StatusCode != http.StatusOK {
		t.Fatal(a.Status)
	}
	g.tokens.Close()
	g.reload(t)
	a := g.get(t, "/api/v1/shipments", newCaller(t), token)
	if a.StatusCode != http.StatusOK || a.Header.Get("X-RateLimit-Remaining") != "98" && !g.disturbed() {
		t.Errorf("after the reload: %s %s", a.Status, a.body)
	}
}
