package integration

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// One of two replicas is ready but fails every request. Few requests of clients fail.
func TestAFailingReplicaFailsFewRequests(t *testing.T) {
	t.Parallel()

	healthy := newReplica(t, 1, "")
	failing := netip.MustParseAddr("127.0.0.2")
	listener, err := net.Listen("tcp", net.JoinHostPort(failing.String(), healthy.port))
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: ready(http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
	))}}
	server.Start()
	t.Cleanup(server.Close)
	names := newNameServer(t, healthy.ip, failing)
	g := start(t, options{env: map[string]string{
		"SHIPMENTS_HOST": "shipments.test.", "SHIPMENTS_PORT": healthy.port, nameServerVariable: names.address, "REDIS_DOWN": "allow",
	}})
	token, _ := g.tokens.create(plenty)
	g.introspect(t, token)
	g.usesBothAddresses(t, healthy.port)

	const clients, each = 8, 100
	var failed atomic.Int32
	var load sync.WaitGroup
	for range clients {
		load.Go(func() {
			for range each {
				request := g.request(t, "/api/v1/shipments", newCaller(t), token)
				request.Method, request.Body = http.MethodPost, io.NopCloser(strings.NewReader("{}"))
				if a := g.once(t, request); a.StatusCode != http.StatusOK {
					failed.Add(1)
				}
			}
		})
	}
	load.Wait()
	if n := failed.Load(); n > clients*each/20 {
		t.Errorf("%d of %d requests failed", n, clients*each)
	}
	g.waitForLog(t, "address is ejected")
}
