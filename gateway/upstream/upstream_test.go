package upstream

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"
)

// replica is a service at one of several loopback addresses with the same port.
type replica struct {
	*httptest.Server

	ip      netip.Addr
	answer  func(http.ResponseWriter, *http.Request) // nil: an empty 200
	checked atomic.Value                             // func(http.ResponseWriter) for health checks
	seen    atomic.Int32                             // requests without health checks
	body    *atomic.Value                            // of the last request, if wanted
}

func (r *replica) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.URL.Path == checkPath {
		if check, ok := r.checked.Load().(func(http.ResponseWriter)); ok {
			check(w)
		}
		return
	}
	r.seen.Add(1)
	text, _ := io.ReadAll(req.Body)
	if r.body != nil {
		r.body.Store(string(text))
	}
	if r.answer != nil {
		r.answer(w, req)
	}
}

// replicas starts n replicas at 127.0.0.1 and following addresses. answer may be nil.
func replicas(t *testing.T, n int, answer func(http.ResponseWriter, *http.Request)) []*replica {
	t.Helper()
	var all []*replica
	port := "0"
	for i := range n {
		r := &replica{ip: netip.AddrFrom4([4]byte{127, 0, 0, byte(i + 1)}), answer: answer}
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

// transportTo returns a transport to all replicas after one lookup and one health check. There are no background
// checks.
func transportTo(t *testing.T, all []*replica) (*transport, *names) {
	t.Helper()
	_, port, _ := net.SplitHostPort(all[0].Listener.Addr().String())
	dns := new(names)
	for _, r := range all {
		dns.found = append(dns.found, r.ip)
	}
	s, err := newService("service:"+port, dns.resolve)
	if err != nil {
		t.Fatal(err)
	}
	s.logger = zap.NewNop()
	transport := newTransport(s, 2*time.Second)
	t.Cleanup(transport.http.CloseIdleConnections)
	s.lookUp(t.Context(), false)
	s.checkAll(t.Context())
	return transport, dns
}

// send sends a request and reads the response.
func send(t *testing.T, transport *transport, method, body string) error {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, "/path", strings.NewReader(body))
	if body == "" {
		request.Body = nil // Caddy's form of an empty body
	}
	request.RequestURI = ""
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, response.Body)
	return response.Body.Close()
}

func statesOf(s *service) (states []state) {
	for _, a := range *s.addresses.Load() {
		states = append(states, a.currentState())
	}
	return states
}

func TestEqualAddressesTakeTurns(t *testing.T) {
	t.Parallel()

	all := replicas(t, 3, nil)
	transport, _ := transportTo(t, all)
	for range 30 {
		if err := send(t, transport, http.MethodGet, ""); err != nil {
			t.Fatal(err)
		}
	}
	for i, r := range all {
		if n := r.seen.Load(); n != 10 {
			t.Errorf("address %d got %d of 30 requests", i, n)
		}
	}
}

func TestLeastConnectionsCountsUntilTheBodyIsRead(t *testing.T) {
	t.Parallel()

	all := replicas(t, 2, nil)
	transport, _ := transportTo(t, all)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	request.RequestURI = ""
	open, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	busy := 0
	if all[1].seen.Load() == 1 {
		busy = 1
	}
	for range 10 {
		if err := send(t, transport, http.MethodGet, ""); err != nil {
			t.Fatal(err)
		}
	}
	if n := all[busy].seen.Load(); n != 1 {
		t.Errorf("the busy address got %d more", n-1)
	}
	_ = open.Body.Close()
	_ = open.Body.Close() // closing twice changes nothing
	for _, a := range *transport.service.addresses.Load() {
		if n := a.inFlight.Load(); n != 0 {
			t.Errorf("%s: %d in flight when all is read", a.hostPort, n)
		}
	}
}

func TestRefusedConnectionIsUnhealthyUntilThreeChecksPass(t *testing.T) {
	t.Parallel()

	all := replicas(t, 2, nil)
	transport, _ := transportTo(t, all)
	address := all[0].Listener.Addr().String()
	all[0].Close()
	transport.http.CloseIdleConnections()

	failed := 0
	for range 20 {
		if err := send(t, transport, http.MethodPost, "x"); err != nil {
			failed++
		}
	}
	if failed != 0 || all[1].seen.Load() != 20 {
		t.Errorf("%d of 20 failed, %d reached the other address", failed, all[1].seen.Load())
	}

	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	back := &http.Server{Handler: all[0], ReadHeaderTimeout: time.Minute}
	t.Cleanup(func() { _ = back.Close() })
	go func() { _ = back.Serve(listener) }()
	for _, want := range []state{recovering, recovering, healthy} {
		transport.service.checkAll(t.Context())
		if states := statesOf(transport.service); states[0] != want || states[1] != healthy {
			t.Errorf("after a check: %v, want %v", states, want)
		}
	}
}

// A request that could not be sent is sent whole to another address, whatever its method.
func TestRequestWithoutAConnectionGoesToAnotherAddress(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct{ method, body string }{
		"GET":             {http.MethodGet, ""},
		"HEAD":            {http.MethodHead, ""},
		"OPTIONS":         {http.MethodOptions, ""},
		"GET with a body": {http.MethodGet, "x"},
		"POST":            {http.MethodPost, "x"},
		"empty POST":      {http.MethodPost, ""},
		"PUT":             {http.MethodPut, "x"},
		"DELETE":          {http.MethodDelete, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got atomic.Value
			all := replicas(t, 2, nil)
			all[1].body = &got
			transport, _ := transportTo(t, all)
			all[0].Close()
			transport.service.turn.Store(1) // the first address is next
			if err := send(t, transport, tt.method, tt.body); err != nil || got.Load() != tt.body {
				t.Errorf("%v, the other address got %q", err, got.Load())
			}
		})
	}
}

func TestWithoutAnyConnectionTheErrorIsThatOfTheSecondAttempt(t *testing.T) {
	t.Parallel()

	all := replicas(t, 3, nil)
	transport, _ := transportTo(t, all)
	all[0].Close()
	all[1].Close()
	transport.service.turn.Store(2) // the first address is next
	if err := send(t, transport, http.MethodPost, "x"); !isDialError(err) || all[2].seen.Load() != 0 {
		t.Errorf("%v, %d at the third address", err, all[2].seen.Load())
	}
}

// On a broken reused connection net/http itself would retry a POST with an idempotency key.
func TestPostWithIdempotencyKeyIsNotRetried(t *testing.T) {
	t.Parallel()

	all := replicas(t, 1, func(_ http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			if r.Header.Get("Idempotency-Key") != "k" || r.Header.Get("X-Idempotency-Key") != "k" {
				t.Error("the keys did not arrive")
			}
			panic(http.ErrAbortHandler)
		}
	})
	transport, _ := transportTo(t, all)
	for round := range 3 {
		if err := send(t, transport, http.MethodGet, ""); err != nil { // leaves a reusable connection
			t.Fatal(err)
		}
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
		request.RequestURI, request.Body = "", nil
		request.Header.Set("Idempotency-Key", "k")
		request.Header.Set("X-Idempotency-Key", "k")
		response, err := transport.RoundTrip(request)
		if err == nil {
			_ = response.Body.Close()
			t.Error("a connection that broke was an answer")
		}
		if got, want := all[0].seen.Load(), int32(2*(round+1)); got != want {
			t.Fatalf("round %d: %d requests arrived, want %d", round, got, want)
		}
	}
	if states := statesOf(transport.service); states[0] != healthy {
		t.Errorf("a request that breaks its connection makes its address %v for everybody", states[0])
	}
}

// Only 2xx is healthy. A single timeout changes nothing.
func TestHealthChecks(t *testing.T) {
	t.Parallel()

	all := replicas(t, 2, nil)
	transport, _ := transportTo(t, all)
	hung := make(chan struct{})
	defer close(hung)
	for name, tt := range map[string]struct {
		check func(http.ResponseWriter)
		times int
		want  state
	}{
		"not ready":          {func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) }, 1, suspect},
		"redirects":          {func(w http.ResponseWriter) { w.WriteHeader(http.StatusFound) }, 1, suspect},
		"forbids":            {func(w http.ResponseWriter) { w.WriteHeader(http.StatusForbidden) }, 1, suspect},
		"breaks":             {func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, 1, unhealthy},
		"is late once":       {func(http.ResponseWriter) { <-hung }, 1, healthy},
		"does not answer":    {func(http.ResponseWriter) { <-hung }, 2, suspect},
		"is ready":           {func(http.ResponseWriter) {}, 1, healthy},
		"has nothing to say": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) }, 1, healthy},
	} {
		a := (*transport.service.addresses.Load())[0]
		a.setState(healthy)
		a.timeouts.Store(0)
		all[0].checked.Store(tt.check)
		for range tt.times {
			transport.service.checkAll(t.Context())
		}
		if states := statesOf(transport.service); states[0] != tt.want || states[1] != healthy {
			t.Errorf("%s: %v, want %v", name, states, tt.want)
		}
		before := all[0].seen.Load()
		for range 10 {
			if err := send(t, transport, http.MethodGet, ""); err != nil {
				t.Fatal(err)
			}
		}
		if used := all[0].seen.Load() > before; used != (tt.want == healthy) {
			t.Errorf("%s: used %v", name, used)
		}
	}
}

func TestFailedCheckTriggersNoOther(t *testing.T) {
	t.Parallel()

	all := replicas(t, 1, nil)
	transport, _ := transportTo(t, all)
	<-transport.service.trigger // sent by the lookup
	all[0].Close()
	transport.service.checkAll(t.Context())
	if is := statesOf(transport.service)[0]; is != unhealthy {
		t.Errorf("the address is %v", is)
	}
	select {
	case <-transport.service.trigger:
		t.Error("checks follow each other without a pause while an address is away")
	default:
	}
}

// When all addresses are slow, the cause may be this machine; refusing would turn it into an outage.
func TestSlowAddressesAreUsedWhenThereIsNoOther(t *testing.T) {
	t.Parallel()

	all := replicas(t, 2, nil)
	transport, _ := transportTo(t, all)
	for _, a := range *transport.service.addresses.Load() {
		a.setState(suspect)
	}
	if err := send(t, transport, http.MethodGet, ""); err != nil {
		t.Error(err)
	}
}

func TestNoUsableAddressIsAnImmediate503(t *testing.T) {
	t.Parallel()

	all := replicas(t, 2, nil)
	transport, _ := transportTo(t, all)
	for _, a := range *transport.service.addresses.Load() {
		a.setState(unhealthy)
	}
	err := send(t, transport, http.MethodGet, "")
	if failure, ok := errors.AsType[caddyhttp.HandlerError](err); !ok || failure.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%v", err)
	}
	if all[0].seen.Load()+all[1].seen.Load() > 0 {
		t.Error("it was sent all the same")
	}
}

func TestLastAddressesAreKeptWhileTheLookupFails(t *testing.T) {
	t.Parallel()

	all := replicas(t, 3, nil)
	transport, dns := transportTo(t, all[:1])
	s := transport.service
	failing := false
	for _, trouble := range []error{errors.New("server misbehaving"), nil} { // nil: no addresses
		dns.set(trouble)
		if failing = s.lookUp(t.Context(), failing); !failing || len(statesOf(s)) != 1 || statesOf(s)[0] != healthy {
			t.Errorf("with %v: %v", trouble, statesOf(s))
		}
	}
	// Scaled up: a new address is used after its health check; known ones keep their state.
	dns.set(nil, all[2].ip, all[0].ip, all[1].ip, all[1].ip)
	if failing = s.lookUp(t.Context(), failing); failing || len(statesOf(s)) != 3 {
		t.Fatalf("%v", statesOf(s))
	}
	if got := statesOf(s); got[0] != unknown || got[1] != healthy || got[2] != unknown {
		t.Errorf("before a check: %v", got)
	}
	select {
	case <-s.trigger:
	default:
		t.Error("new addresses wait for their check")
	}
	s.checkAll(t.Context())
	if got := statesOf(s); got[0] != healthy || got[1] != healthy || got[2] != healthy {
		t.Errorf("after a check: %v", got)
	}
	// Scaled down.
	dns.set(nil, all[1].ip)
	s.lookUp(t.Context(), failing)
	for range 4 {
		if err := send(t, transport, http.MethodGet, ""); err != nil {
			t.Fatal(err)
		}
	}
	if all[0].seen.Load()+all[2].seen.Load() > 0 || all[1].seen.Load() != 4 {
		t.Error("an address is used that the name does not have any more")
	}
}

func TestServiceIsWatchedWhileInUse(t *testing.T) {
	t.Parallel()

	all := replicas(t, 1, nil)
	name := all[0].Listener.Addr().String()
	first, err := acquire(name)
	if err != nil {
		t.Fatal(err)
	}
	second, err := acquire(name)
	if err != nil || first != second {
		t.Fatalf("%p and %p, %v", first, second, err)
	}
	deadline := time.After(10 * time.Second)
	for statesOf(first)[0] != healthy {
		select {
		case <-deadline:
			t.Fatal("it is never checked")
		case <-time.After(time.Millisecond):
		}
	}
	if err := errors.Join(release(first), release(second)); err != nil {
		t.Error(err)
	}
	if third, err := acquire(name); err != nil || third == first {
		t.Errorf("watched by nobody: %v", err)
	} else if err := release(third); err != nil {
		t.Error(err)
	}
	if _, err := acquire("no port"); err == nil {
		t.Error("a name without a port is watched")
	}
}

func BenchmarkChoose(b *testing.B) {
	s, err := newService("service:80", nil)
	if err != nil {
		b.Fatal(err)
	}
	s.setAddresses([]netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2"), netip.MustParseAddr("192.0.2.3")})
	b.ReportAllocs()
	for b.Loop() {
		if s.pick(nil) == nil {
			b.Fatal("none")
		}
	}
}
