package integration

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/testserver"
)

// replica is one process of a service, at a loopback address of its own. It responds with its address, and drains as
// the services do.
type replica struct {
	ip     netip.Addr
	port   string
	server *http.Server
	near   atomic.Bool  // shutting down
	checks atomic.Int32 // health checks that it failed
}

// newReplica starts a replica at 127.0.0.number. If port is empty, it chooses a free one.
func newReplica(t *testing.T, number byte, port string) *replica {
	t.Helper()
	r := &replica{ip: netip.AddrFrom4([4]byte{127, 0, 0, number})}
	if port == "" {
		port = freePort(t)
	}
	r.port = port
	r.start(t)
	t.Cleanup(func() { _ = r.server.Close() })
	return r
}

func (r *replica) start(t *testing.T) {
	t.Helper()
	r.near.Store(false)
	r.checks.Store(0)
	var listener net.Listener
	eventually(t, func() (ok bool) { // a process that starts may keep the replica's last listener for a moment
		var err error
		listener, err = net.Listen("tcp", net.JoinHostPort(r.ip.String(), r.port))
		return err == nil
	}, "a listener at port "+r.port, new(testserver.Log))
	server := &http.Server{Handler: r, ReadHeaderTimeout: time.Minute}
	r.server = server
	go func() { _ = server.Serve(listener) }()
}

// drainDelay is how long a service accepts requests after its /readyz has become 503.
const drainDelay = 2 * time.Second

// end drains as the services do: /readyz is 503, and requests are accepted for drainDelay after a health check that the
// gateway has evaluated.
func (r *replica) end(t *testing.T) {
	t.Helper()
	r.near.Store(true)
	eventually(t, func() bool { return r.checks.Load() >= 2 }, "the gateway checks", new(testserver.Log))
	<-time.After(drainDelay)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := r.server.Shutdown(ctx); err != nil {
		t.Error(err)
	}
}

// ServeHTTP implements http.Handler.
func (r *replica) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	near := r.near.Load()
	if near {
		w.Header().Set("Connection", "close")
	}
	switch {
	case request.URL.Path != "/readyz":
		_, _ = io.Copy(io.Discard, request.Body)
		_, _ = io.WriteString(w, r.ip.String())
	case near:
		w.WriteHeader(http.StatusServiceUnavailable)
		r.checks.Add(1)
	}
}

// usesBothAddresses waits until the gateway uses two addresses of shipments.test.
func (g *gateway) usesBothAddresses(t *testing.T, port string) {
	t.Helper()
	want := fmt.Sprintf(`quayside_gateway_upstream_addresses{service="shipments.test.:%s",state="healthy"} 2`, port)
	eventually(t, func() bool { return strings.Contains(g.metrics(t), want) }, want, g.log)
}

// Requests are distributed over all addresses of a name. Losing a replica fails no request, a new address is used, and
// while the name server fails the known addresses are used.
func TestAllReplicasOfANameAreUsed(t *testing.T) {
	t.Parallel()

	one := newReplica(t, 1, "")
	two, three := newReplica(t, 2, one.port), newReplica(t, 3, one.port)
	names := newNameServer(t, one.ip, two.ip)
	g := start(t, options{env: map[string]string{
		"SHIPMENTS_HOST": "shipments.test.", "SHIPMENTS_PORT": one.port, nameServerVariable: names.address,
	}})
	token, _ := g.tokens.create(plenty)
	answers := func(n int) map[string]int {
		count := map[string]int{}
		for range n {
			a := g.get(t, "/api/v1/shipments", newCaller(t), token)
			if a.StatusCode != http.StatusOK {
				t.Errorf("%s %s", a.Status, a.body)
			}
			count[a.body]++
		}
		return count
	}
	g.usesBothAddresses(t, one.port)
	if count := answers(20); count["127.0.0.1"] != 10 || count["127.0.0.2"] != 10 {
		t.Errorf("answers by replica: %v", count)
	}
	_ = one.server.Close()
	if count := answers(20); count["127.0.0.2"] != 20 {
		t.Errorf("with one replica stopped: %v", count)
	}
	names.found.Store(&[]netip.Addr{two.ip, three.ip})
	g.usesBothAddresses(t, one.port)
	if count := answers(20); count["127.0.0.2"] != 10 || count["127.0.0.3"] != 10 {
		t.Errorf("with a new replica: %v", count)
	}
	names.found.Store(nil)
	g.waitForLog(t, "lookup of the service fails")
	if count := answers(20); count["127.0.0.2"] != 10 || count["127.0.0.3"] != 10 {
		t.Errorf("without a name server: %v", count)
	}
}
