package discovery

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"
)

const checkPath = "/readyz"

// replica is a service at one of several loopback addresses with the same port.
type replica struct {
	*httptest.Server

	ip      netip.Addr
	answer  func(http.ResponseWriter, *http.Request) // nil: an empty 200
	checked atomic.Value                             // func(http.ResponseWriter) for health checks
	seen    atomic.Int32                             // requests without health checks
}

func (r *replica) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.URL.Path == checkPath {
		if check, ok := r.checked.Load().(func(http.ResponseWriter)); ok {
			check(w)
		}
		return
	}
	r.seen.Add(1)
	if r.answer != nil {
		r.answer(w, req)
	}
}

// replicas starts n replicas at 127.0.0.1 and following addresses.
func replicas(t *testing.T, n int) []*replica {
	t.Helper()
	var all []*replica
	port := "0"
	for i := range n {
		r := &replica{ip: netip.AddrFrom4([4]byte{127, 0, 0, byte(i + 1)})}
		r.Server = &httptest.Server{Config: &http.Server{Handler: r, ReadHeaderTimeout: time.Minute}}
		var err error
		if r.Listener, err = net.Listen("tcp", net.JoinHostPort(r.ip.String(), port)); err != nil {
			t.Fatal(err)
		}
		r.Start()
		t.Cleanup(r.Close)
		_, port, _ = net.SplitHostPort(r.Listener.Addr().String())
		all = append(all, r)
	}
	return all
}

// names is a name server for one name.
type names struct {
	mu    sync.Mutex
	found []netip.Addr
	err   error
}

func (n *names) set(err error, found ...netip.Addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.found, n.err = found, err
}

func (n *names) resolve(context.Context, string, string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.found, n.err
}

// newService returns a service that is not started.
func newService(t testing.TB, config Config) *Service {
	t.Helper()
	if config.Logger == nil {
		config.Logger = zap.NewNop
	}
	s, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// serviceOf returns a service with all replicas after one lookup and one health check. There are no background checks.
func serviceOf(t *testing.T, all []*replica) (*Service, *names) {
	t.Helper()
	_, port, _ := net.SplitHostPort(all[0].Listener.Addr().String())
	dns := new(names)
	for _, r := range all {
		dns.found = append(dns.found, r.ip)
	}
	s := newService(t, Config{
		Name: "service:" + port, CheckPath: checkPath, Resolve: dns.resolve, DialTimeout: 10 * time.Second,
		CheckTimeout: 300 * time.Millisecond,
	})
	s.lookUp(t.Context(), false)
	s.checkAll(t.Context())
	return s, dns
}

// send sends a request to the picked address and records its result.
func send(t *testing.T, s *Service) error {
	t.Helper()
	a := s.Pick(nil)
	a.Begin()
	defer a.End()
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) { return a.Dial(ctx, network) }
	transport := &http.Transport{DisableKeepAlives: true, DialContext: dial}
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+a.HostPort+"/path", http.NoBody)
	request.RequestURI = ""
	response, err := transport.RoundTrip(request)
	a.Record(err != nil || response.StatusCode >= http.StatusInternalServerError)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, response.Body)
	return response.Body.Close()
}

func statesOf(s *Service) (states []State) {
	for _, a := range *s.addresses.Load() {
		states = append(states, State(a.state.Load()))
	}
	return states
}
