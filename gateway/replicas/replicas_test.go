package replicas

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
)

// dns answers lookups with what the test sets.
type dns struct {
	mu    sync.Mutex
	ips   []string
	err   error
	asked int
	time  time.Time
}

func (d *dns) lookup(context.Context, string, string) ([]net.IP, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked++
	var ips []net.IP
	for _, ip := range d.ips {
		ips = append(ips, net.ParseIP(ip))
	}
	return ips, d.err
}

func (d *dns) now() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.time
}

func newReplicas(t *testing.T, d *dns) *Replicas {
	t.Helper()
	s := &Replicas{Address: "shipments-svc:8081", lookup: d.lookup, now: d.now, logger: zap.NewNop()}
	if err := s.parse(); err != nil {
		t.Fatal(err)
	}
	return s
}

func dials(t *testing.T, s *Replicas) []string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	upstreams, err := s.GetUpstreams(request)
	if err != nil {
		t.Fatal(err)
	}
	var dials []string
	for _, upstream := range upstreams {
		dials = append(dials, upstream.Dial)
	}
	return dials
}

func TestReplicasAreFollowed(t *testing.T) {
	t.Parallel()

	d := &dns{ips: []string{"10.0.0.3", "10.0.0.2"}, time: time.Unix(0, 0)}
	s := newReplicas(t, d)
	// The same order however DNS shuffles, so that round robin visits each.
	two := []string{"10.0.0.2:8081", "10.0.0.3:8081"}
	if diff := cmp.Diff(two, dials(t, s)); diff != "" {
		t.Error(diff)
	}
	d.ips = []string{"10.0.0.2", "2001:db8::4", "10.0.0.3"}
	d.time = d.time.Add(refreshEvery - 1)
	if diff := cmp.Diff(two, dials(t, s)); diff != "" || d.asked != 1 {
		t.Errorf("asked %d times: %s", d.asked, diff)
	}
	d.time = d.time.Add(1)
	if diff := cmp.Diff([]string{"10.0.0.2:8081", "10.0.0.3:8081", "[2001:db8::4]:8081"}, dials(t, s)); diff != "" {
		t.Error(diff)
	}
}

func TestKnownAddressesOutliveDNS(t *testing.T) {
	t.Parallel()

	d := &dns{ips: []string{"10.0.0.2"}, time: time.Unix(0, 0)}
	s := newReplicas(t, d)
	known := dials(t, s)
	d.err = errors.New("server misbehaving")
	for range 3 {
		d.time = d.time.Add(refreshEvery)
		if diff := cmp.Diff(known, dials(t, s)); diff != "" {
			t.Error(diff)
		}
		dials(t, s)
	}
	if d.asked != 4 {
		t.Errorf("asked %d times; a failure must not make every request look up", d.asked)
	}
}

func TestNothingKnownIsAnError(t *testing.T) {
	t.Parallel()

	s := newReplicas(t, &dns{err: errors.New("no such host")})
	if upstreams, err := s.GetUpstreams(&http.Request{}); err == nil {
		t.Errorf("upstreams %v", upstreams)
	}
}

func TestUnmarshalCaddyfile(t *testing.T) {
	t.Parallel()

	for input, wantError := range map[string]string{
		"replicas shipments-svc:8081": "", "replicas [::1]:8081": "", "replicas 127.0.0.1:8081": "",
		"replicas": "wrong argument count", "replicas a:1 b:2": "wrong argument count",
		"replicas shipments-svc": "not host:port", "replicas :8081": "not host:port", "replicas a:1 {\n\tx\n}": "wrong argument count",
	} {
		err := new(Replicas).UnmarshalCaddyfile(caddyfile.NewTestDispenser(input))
		if wantError == "" && err != nil || wantError != "" && (err == nil || !strings.Contains(strings.ToLower(err.Error()), wantError)) {
			t.Errorf("%q: %v", input, err)
		}
	}
}
