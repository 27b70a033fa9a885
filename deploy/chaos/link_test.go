package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// linked starts a server that responds "hello" and a link to it.
func linked(t *testing.T, record func(request)) (*link, func() (string, error)) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "hello")
	}))
	t.Cleanup(server.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listen := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	n := newNetwork(record)
	t.Cleanup(n.close)
	if err := n.proxy(devstack.Link{Name: "a-b", Listen: listen, Server: server.Listener.Addr().String()}); err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 500 * time.Millisecond}
	return n.links["a-b"], func() (string, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+listen+"/x?y=z", strings.NewReader("token=a"))
		if err != nil {
			return "", err
		}
		req.Header.Set("X-Request-Id", "req_1")
		res, err := client.Do(req)
		if err != nil {
			return "", err
		}
		defer func() { _ = res.Body.Close() }()
		body, err := io.ReadAll(res.Body)
		return string(body), err
	}
}

func TestTheRecorderReportsRequestsUnchanged(t *testing.T) {
	t.Parallel()
	seen := make(chan request, 1)
	_, get := linked(t, func(r request) { seen <- r })
	if body, err := get(); body != "hello" || err != nil {
		t.Fatalf("%q, %v", body, err)
	}
	r := <-seen
	if r.method != http.MethodPost || r.path != "/x?y=z" || r.id != "req_1" || r.form != "token=a" {
		t.Errorf("saw %+v", r)
	}
}

// Each injection has its effect, and none after its removal.
func TestInjectionsBreakALinkAndAreRemoved(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		injection injection
		fails     bool
		slower    time.Duration
	}{
		"unplugged": {injection: unplugged("a-b"), fails: true},
		"hung":      {injection: hung("a-b"), fails: true},
		"garbage":   {injection: garbled(statusLine, "a-b"), fails: true},
		"cut short": {injection: cutShort(20, "a-b"), fails: true},
		"slow":      {injection: slowed(100*time.Millisecond, "a-b"), slower: 100 * time.Millisecond},
		"sliced":    {injection: sliced("a-b")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, get := linked(t, func(request) {})
			r := &topology{network: &network{links: map[string]*link{"a-b": l}}}
			restore, err := tt.injection(t.Context(), r, &observation{})
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			body, err := get()
			if failed := err != nil || body != "hello"; failed != tt.fails || time.Since(begin) < tt.slower {
				t.Errorf("while it lasts: %q, %v after %s", body, err, time.Since(begin))
			}
			if err := restore(t.Context()); err != nil {
				t.Fatal(err)
			}
			if body, err := get(); body != "hello" || err != nil {
				t.Errorf("afterwards: %q, %v", body, err)
			}
		})
	}
}
