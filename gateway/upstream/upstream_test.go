package upstream

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
	"go.uber.org/zap"

	"github.com/quayside/quayside/gateway/internal/discovery"
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

// newUpstreams returns a source for one address that is started.
func newUpstreams(t *testing.T, address string) *Upstreams {
	t.Helper()
	s, err := discovery.New(discovery.Config{Name: address, Logger: zap.NewNop})
	if err != nil {
		t.Fatal(err)
	}
	return &Upstreams{Address: address, service: s}
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
	repl.Set(AssertionPrefix+"shipments-svc", "signed")
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

	const address = "127.0.0.1:1" // where nothing listens
	source := newUpstreams(t, address)
	r := request(t, http.MethodPost, address, strings.NewReader("x"))
	if upstreams, err := source.GetUpstreams(r); err != nil || len(upstreams) != 1 || upstreams[0].Dial != address {
		t.Fatalf("%v, %v", upstreams, err)
	}
	_, err := newTransport(t).RoundTrip(r) //nolint:bodyclose // there is none
	if _, unsent := errors.AsType[reverseproxy.DialError](err); !unsent {
		t.Errorf("%v", err)
	}
	if upstreams, err := source.GetUpstreams(r); err != nil || len(upstreams) != 0 {
		t.Errorf("the retry has %v, %v", upstreams, err)
	}
	if service := caddyhttp.GetVar(r.Context(), ServiceVar); service != address {
		t.Errorf("the service is %v", service)
	}
}

// A request is in flight until its response is read or fails, and failures of the service are recorded.
func TestResultsAreRecorded(t *testing.T) {
	t.Parallel()

	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "2")
		_, _ = io.WriteString(w, "x") // too short
	}))
	t.Cleanup(service.Close)
	address := service.Listener.Addr().String()
	source, transport := newUpstreams(t, address), newTransport(t)
	r := request(t, http.MethodGet, address, nil)
	if _, err := source.GetUpstreams(r); err != nil {
		t.Fatal(err)
	}
	response, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(response.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v", err)
	}
	if err := errors.Join(response.Body.Close(), response.Body.Close()); err != nil {
		t.Error(err)
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
		"client closed":    {nil, context.Canceled, true, StatusClientClosedRequest},
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
