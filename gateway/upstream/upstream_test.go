package upstream

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
	"go.uber.org/zap"

	"github.com/quayside/quayside/gateway/internal/discovery"
	"github.com/quayside/quayside/gateway/tokengate"
)

// newTransport returns a provisioned transport.
func newTransport(t *testing.T) *Transport {
	t.Helper()
	transport := &Transport{Name: "shipments-svc"}
	if err := transport.Provision(caddy.Context{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = transport.Cleanup() })
	return transport
}

// newUpstreams returns a source for the addresses 127.0.0.1 and 127.0.0.2 at the port of a service, which may listen on
// the first only.
func newUpstreams(t *testing.T, service net.Listener) *Upstreams {
	t.Helper()
	_, port, err := net.SplitHostPort(service.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s, err := discovery.New(discovery.Config{
		Name: "service:" + port, Logger: zap.NewNop,
		Resolve: func(context.Context, string, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2")}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.Start()
	return &Upstreams{Address: "service:" + port, service: s}
}

// pick returns the address that a source chooses for a request.
func pick(t *testing.T, source *Upstreams, r *http.Request) string {
	t.Helper()
	upstreams, err := source.GetUpstreams(r)
	if err != nil || len(upstreams) != 1 {
		t.Fatalf("%v, %v", upstreams, err)
	}
	r.URL.Host = upstreams[0].Dial
	return upstreams[0].Dial
}

// request returns a request as reverse_proxy sends it, with the variables of one to a server of Caddy.
func request(t *testing.T, method, host string, body io.Reader) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "/path?a=b", body)
	if body == nil {
		r.Body = nil
	}
	r.RequestURI, r.URL.Host = "", host
	repl := caddy.NewEmptyReplacer()
	repl.Set(assertionPrefix+"shipments-svc", "signed")
	ctx := context.WithValue(r.Context(), caddyhttp.VarsCtxKey, map[string]any{})
	return r.WithContext(context.WithValue(ctx, caddy.ReplacerCtxKey, repl))
}

// A service receives the assertion for it, and no address but the gateway's own header.
func TestRequestsCarryTheAssertion(t *testing.T) {
	t.Parallel()

	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.URL.RequestURI()+" "+r.Header.Get("X-Gateway-Assertion")+r.Header.Get("X-Forwarded-For"))
	}))
	t.Cleanup(service.Close)
	r := request(t, http.MethodGet, service.Listener.Addr().String(), nil)
	r.Header.Set("X-Forwarded-For", "192.0.2.1")
	response, err := newTransport(t).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if body, _ := io.ReadAll(response.Body); string(body) != "/path?a=b signed" {
		t.Errorf("received %q", body)
	}
}

// A request that may have been received is not sent again by net/http, which repeats those with an Idempotency-Key.
func TestOnlySafeRequestsAreRepeatedOnAStaleConnection(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		method, key string
		want        int32
	}{
		"get":         {http.MethodGet, "", 3},
		"empty post":  {http.MethodPost, "", 2},
		"with a key":  {http.MethodPost, "Idempotency-Key", 2},
		"with an old": {http.MethodPost, "X-Idempotency-Key", 2},
	} {
		var seen atomic.Int32
		service := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			if seen.Add(1) == 2 { // on the reused connection
				panic(http.ErrAbortHandler)
			}
		}))
		transport := newTransport(t)
		for range 2 {
			r := request(t, tt.method, service.Listener.Addr().String(), nil)
			if tt.key != "" {
				r.Header.Set(tt.key, "1")
			}
			if response, err := transport.RoundTrip(r); err == nil {
				_ = response.Body.Close()
			}
		}
		service.Close()
		if n := seen.Load(); n != tt.want {
			t.Errorf("%s: the service received %d requests, want %d", name, n, tt.want)
		}
	}
}

// An address that refused the connection is not returned for the retry, and the error says that nothing was sent.
func TestARetryGetsAnotherAddress(t *testing.T) {
	t.Parallel()

	service := httptest.NewServer(http.NotFoundHandler()) // on 127.0.0.1
	t.Cleanup(service.Close)
	source, transport := newUpstreams(t, service.Listener), newTransport(t)
	for range 4 { // both come first
		r := request(t, http.MethodPost, "", strings.NewReader("x"))
		if first := pick(t, source, r); !strings.HasPrefix(first, "127.0.0.2:") {
			continue
		}
		_, err := transport.RoundTrip(r) //nolint:bodyclose // there is none
		if _, unsent := errors.AsType[reverseproxy.DialError](err); !unsent {
			t.Errorf("%v", err)
		}
		if second := pick(t, source, r); second != service.Listener.Addr().String() {
			t.Errorf("the retry has %s", second)
		}
		if service := caddyhttp.GetVar(r.Context(), tokengate.ServiceVar); service != source.Address {
			t.Errorf("the service is %v", service)
		}
		return
	}
	t.Error("the address that refuses was never first")
}

// A request is in flight until its response is read: meanwhile further ones get the other address. Failures of the
// service are recorded, whichever they are: after five in a row an address is ejected.
func TestResultsAreRecorded(t *testing.T) {
	t.Parallel()

	var failures atomic.Int32
	service := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Host, "127.0.0.1:") {
			switch failures.Add(1) % 3 {
			case 0:
				panic(http.ErrAbortHandler)
			case 1:
				w.WriteHeader(http.StatusInternalServerError)
			case 2:
				w.Header().Set("Content-Length", "2") // more than the body has
			}
		}
		_, _ = io.WriteString(w, "x")
	}))
	var err error
	if service.Listener, err = new(net.ListenConfig).Listen(t.Context(), "tcp", ":0"); err != nil {
		t.Fatal(err)
	}
	service.Start()
	t.Cleanup(service.Close)
	source, transport := newUpstreams(t, service.Listener), newTransport(t)
	var chosen []string
	for range 12 {
		r := request(t, http.MethodPost, "", nil)
		first := pick(t, source, r)
		r.Host = first
		chosen = append(chosen, first[:len("127.0.0.1")])
		response, err := transport.RoundTrip(r)
		if err != nil {
			continue
		}
		if failures.Load() < 5 {
			for range 2 { // also in the turn of the first
				if other := pick(t, source, request(t, http.MethodPost, "", nil)); other == first {
					t.Errorf("%s is chosen while it has a request", other)
				}
			}
		}
		_, _ = io.ReadAll(response.Body)
		if err := errors.Join(response.Body.Close(), response.Body.Close()); err != nil {
			t.Error(err)
		}
	}
	if n := strings.Count(strings.Join(chosen, " "), "127.0.0.1"); n != 5 || chosen[11] != "127.0.0.2" {
		t.Errorf("the failing address was chosen %d times: %v", n, chosen)
	}
}

// stopped is a connection whose peer reads nothing.
type stopped struct {
	net.Conn

	deadline time.Time
}

func (c *stopped) SetWriteDeadline(t time.Time) error {
	c.deadline = t
	return nil
}

func (c *stopped) Write([]byte) (int, error) {
	<-time.After(time.Until(c.deadline))
	return 0, os.ErrDeadlineExceeded
}

func TestAWriteToAServiceThatDoesNotReadEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		conn, began := serviceConn{new(stopped)}, time.Now()
		for n := range 2 { // each write has its own deadline
			_, err := conn.Write(make([]byte, 1))
			if took := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) || took != time.Duration(n+1)*writeWithin {
				t.Errorf("%v after %v", err, took)
			}
		}
	})
}

func TestInvalidConfigurationsAreRefused(t *testing.T) {
	t.Parallel()

	for _, module := range []caddy.Validator{
		new(Transport), &Transport{Name: "a b"}, &Transport{Name: "a", AnswerWithin: -1},
		&Transport{Name: "a", AnswerWithin: caddy.Duration(maxAnswerWithin + 1)}, new(Upstreams), &Upstreams{Address: "a"},
	} {
		if module.Validate() == nil {
			t.Errorf("%+v is accepted", module)
		}
	}
}

func TestErrorsHaveTheStatusOfTheResponse(t *testing.T) {
	t.Parallel()

	ended, end := context.WithCancel(t.Context())
	end()
	broken := errors.New("broken")
	for name, tt := range map[string]struct {
		body, err error
		closed    bool
		want      int
	}{
		"too large":        {&http.MaxBytesError{Limit: 1}, context.Canceled, true, http.StatusRequestEntityTooLarge},
		"too slow":         {os.ErrDeadlineExceeded, context.Canceled, true, http.StatusRequestTimeout},
		"client closed":    {nil, context.Canceled, true, tokengate.StatusClientClosedRequest},
		"body broken":      {broken, broken, false, http.StatusBadRequest},
		"service too slow": {nil, os.ErrDeadlineExceeded, false, http.StatusGatewayTimeout},
		"service broken":   {nil, broken, false, http.StatusBadGateway},
	} {
		r := request(t, http.MethodPost, "x", nil)
		if tt.closed {
			r = r.WithContext(ended)
		}
		body := &requestBody{}
		if tt.body != nil {
			body.failure.Store(&tt.body)
		}
		r.Body = body
		err := statusError(r, tt.err)
		failure, _ := errors.AsType[caddyhttp.HandlerError](err)
		if failure.StatusCode != tt.want || errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
