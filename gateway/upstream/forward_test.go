package upstream

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/google/go-cmp/cmp"
)

// handlerTo returns a handler that forwards to the first of all, or to no address.
func handlerTo(t *testing.T, all []*replica) *Handler {
	t.Helper()
	through, _ := transportTo(t, all)
	return &Handler{MaxBody: 1 << 20, assertion: AssertionPrefix + "some-svc", transport: through}
}

// request returns a request prepared as Caddy does.
func request(t *testing.T, method, target string, body io.Reader) *http.Request {
	t.Helper()
	repl := caddy.NewReplacer()
	repl.Set(AssertionPrefix+"some-svc", "word of the gate")
	ctx := context.WithValue(t.Context(), caddyhttp.VarsCtxKey, map[string]any{})
	return httptest.NewRequestWithContext(context.WithValue(ctx, caddy.ReplacerCtxKey, repl), method, target, body)
}

func TestHopByHopHeadersAreNotForwarded(t *testing.T) {
	t.Parallel()

	var got *http.Request
	handler := handlerTo(t, replicas(t, 1, func(w http.ResponseWriter, r *http.Request) {
		got = r
		for _, name := range []string{"Keep-Alive", "Proxy-Authenticate", "Upgrade", "X-Hop"} {
			w.Header().Set(name, "x")
		}
		w.Header().Set("Connection", "x-hop, x-other")
		w.Header().Set("X-Kept", "x")
		w.Header()["Date"] = nil
		w.WriteHeader(http.StatusCreated)
	}))
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		r := request(t, method, "http://api.example/a%2Fb?c=d", nil)
		for _, name := range hopByHop {
			r.Header.Set(name, "x")
		}
		r.Header.Set("X-Kept", "x")
		r.Header.Set("Via", "1.1 other")
		w := httptest.NewRecorder()
		if err := handler.ServeHTTP(w, r, nil); err != nil {
			t.Fatal(err)
		}
		want := http.Header{"X-Kept": {"x"}, "Via": {"1.1 other", "1.1 gateway"}, "X-Gateway-Assertion": {"word of the gate"}}
		if method == http.MethodPost {
			want.Set("Content-Length", "0")
		}
		if diff := cmp.Diff(want, got.Header); diff != "" {
			t.Errorf("%s: the service got: %s", method, diff)
		}
		if got.Host != "api.example" || got.RequestURI != "/a%2Fb?c=d" {
			t.Errorf("%s: the service was asked for %s at %s", method, got.RequestURI, got.Host)
		}
		if diff := cmp.Diff(http.Header{"X-Kept": {"x"}, "Content-Length": {"0"}}, w.Header()); diff != "" || w.Code != http.StatusCreated {
			t.Errorf("%s: the client got %d and: %s", method, w.Code, diff)
		}
	}
}

// Values that net/http's server sets for the client's connection are not forwarded to the service.
func TestOutgoingRequestIsOfAConnectionOfItsOwn(t *testing.T) {
	t.Parallel()

	r := request(t, http.MethodGet, "http://api.example/a", nil)
	r.Close, r.Trailer = true, http.Header{"X-Trailer": nil}
	out := (&Handler{}).outgoing(httptest.NewRecorder(), r)
	if out.Close || out.Trailer != nil || out.RequestURI != "" || out.Body != nil {
		t.Errorf("close %t, trailer %v, URI %q, body %v", out.Close, out.Trailer, out.RequestURI, out.Body)
	}
}

func TestLargestBodyIsForwarded(t *testing.T) {
	t.Parallel()

	all := replicas(t, 1, nil)
	handler := handlerTo(t, all)
	handler.MaxBody = 5
	for body, want := range map[string]int{"12345": http.StatusOK, "123456": http.StatusRequestEntityTooLarge} {
		w := httptest.NewRecorder()
		err := handler.ServeHTTP(w, request(t, http.MethodPost, "/", strings.NewReader(body)), nil)
		status := w.Code
		if failure, ok := errors.AsType[caddyhttp.HandlerError](err); ok {
			status = failure.StatusCode
		}
		if status != want {
			t.Errorf("%d bytes: %d, %v", len(body), status, err)
		}
	}
	if n := all[0].seen.Load(); n != 1 {
		t.Errorf("%d requests arrived", n)
	}
}

// A client that fails to send its body is not a failure of the service.
func TestErrorStatusNamesTheFailingSide(t *testing.T) {
	t.Parallel()

	gone, leave := context.WithCancel(t.Context())
	leave()
	slow := iotest.ErrReader(os.ErrDeadlineExceeded)
	for name, tt := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request)
		body   io.Reader
		length int64
		ctx    context.Context //nolint:containedctx // of the case
		status int
	}{
		"announced too large": {nil, strings.NewReader("x"), 1<<20 + 1, nil, http.StatusRequestEntityTooLarge},
		"found too large":     {nil, strings.NewReader(strings.Repeat("x", 1<<20+1)), -1, nil, http.StatusRequestEntityTooLarge},
		"a slow client":       {nil, io.MultiReader(strings.NewReader("half"), slow), 8, nil, http.StatusRequestTimeout},
		"half a body":         {nil, io.MultiReader(strings.NewReader("half"), iotest.ErrReader(io.ErrUnexpectedEOF)), 8, nil, http.StatusBadRequest},
		"a client that left":  {nil, nil, 0, gone, StatusClientClosedRequest},
		"a service that hangs": {func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		}, nil, 0, nil, http.StatusGatewayTimeout},
		"a service that breaks off": {func(http.ResponseWriter, *http.Request) {
			panic(http.ErrAbortHandler)
		}, nil, 0, nil, http.StatusBadGateway},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handler := handlerTo(t, replicas(t, 1, tt.answer))
			handler.transport = newTransport(handler.transport.service, 100*time.Millisecond)
			r := request(t, http.MethodPost, "/", tt.body)
			if tt.body == nil {
				r = request(t, http.MethodGet, "/", nil)
			}
			if r.ContentLength = tt.length; tt.ctx != nil {
				ctx := context.WithValue(tt.ctx, caddyhttp.VarsCtxKey, map[string]any{})
				r = r.WithContext(ctx)
			}
			err := handler.ServeHTTP(httptest.NewRecorder(), r, nil)
			if got, ok := errors.AsType[caddyhttp.HandlerError](err); !ok || got.StatusCode != tt.status {
				t.Errorf("%v, want %d", err, tt.status)
			}
			if large, ok := errors.AsType[*http.MaxBytesError](err); ok != (tt.status == http.StatusRequestEntityTooLarge) || ok && large.Limit != 1<<20 {
				t.Errorf("%v has the limit %+v", err, large)
			}
			if is := statesOf(handler.transport.service)[0]; tt.status != http.StatusGatewayTimeout && is != healthy {
				t.Errorf("the address is %v", is)
			}
		})
	}
}

// net/http reports that the time for trailers ended as if they were malformed.
func TestTrailersThatDoNotArriveInTimeAreATimeout(t *testing.T) {
	t.Parallel()

	handler := handlerTo(t, replicas(t, 1, func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	failures := make(chan error, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := context.WithValue(r.Context(), caddyhttp.VarsCtxKey, map[string]any{})
		failures <- handler.ServeHTTP(w, r.WithContext(ctx), nil)
	}))
	server.Config.ReadTimeout = 500 * time.Millisecond // the head of the request has to arrive within it
	server.Start()
	t.Cleanup(server.Close)
	for trailers, want := range map[string]int{
		"":                                 http.StatusRequestTimeout,
		"X":                                http.StatusRequestTimeout,
		"X: half":                          http.StatusRequestTimeout,
		"X: " + strings.Repeat("x", 8<<10): http.StatusBadRequest,
	} {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: api\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"+trailers)
		err = <-failures
		_ = conn.Close()
		if failure, ok := errors.AsType[caddyhttp.HandlerError](err); !ok || failure.StatusCode != want {
			t.Errorf("trailers %.10q: %v, want %d", trailers, err, want)
		}
	}
}

func TestTruncatedResponseIsTruncatedForTheClient(t *testing.T) {
	t.Parallel()

	handler := handlerTo(t, replicas(t, 1, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		func() {
			defer func() {
				if recover() != http.ErrAbortHandler { //nolint:errorlint // a panic's value
					t.Errorf("%s: the answer ended as if it were whole", method)
				}
			}()
			_ = handler.ServeHTTP(httptest.NewRecorder(), request(t, method, "/", nil), nil)
		}()
	}
}

// deafWriter is the response of a client that has disconnected.
type deafWriter struct{ *httptest.ResponseRecorder }

func (deafWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestForwardedRequestIsNotInFlightAfterwards(t *testing.T) {
	t.Parallel()

	handler := handlerTo(t, replicas(t, 1, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "body") }))
	for name, w := range map[string]http.ResponseWriter{"whole": httptest.NewRecorder(), "disconnected": deafWriter{httptest.NewRecorder()}} {
		if err := handler.ServeHTTP(w, request(t, http.MethodGet, "/", nil), nil); err != nil {
			t.Fatal(err)
		}
		if n := (*handler.transport.service.addresses.Load())[0].inFlight.Load(); n != 0 {
			t.Errorf("%s: %d in flight", name, n)
		}
	}
}
