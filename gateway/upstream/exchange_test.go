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

func TestExchangesShareOneConnection(t *testing.T) {
	t.Parallel()

	s := newScripted(t,
		answering("one"),
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ntwo\r\n0\r\nX-Trailer: x\r\n\r\n",
		"HTTP/1.1 204 No Content\r\n\r\n",
		"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"+answering("four"),
		answering("five"),
	)
	through := s.transport(t)
	for i, want := range []string{"one", "two", "", "four", "five"} {
		if got, err := get(t.Context(), through, "/"); got != want || err != nil {
			t.Errorf("answer %d is %q, %v, want %q", i+1, got, err, want)
		}
	}
	if n := s.connections.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

func TestRequestOnAClosedIdleConnectionIsRetried(t *testing.T) {
	t.Parallel()

	// The service reads the second request and closes without a response, as when it is killed.
	s := newScripted(t, answering("first"), "", answering("again"))
	through := s.transport(t)
	for _, want := range []string{"first", "again"} {
		if got, err := get(t.Context(), through, "/"+want); got != want || err != nil {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	// Another address is tried rather than the same one.
	all := replicas(t, 2, nil)
	both, _ := transportTo(t, all)
	for range 2 { // leaves a connection to each
		if err := send(t, both, http.MethodGet, ""); err != nil {
			t.Fatal(err)
		}
	}
	all[0].answer = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	both.service.turn.Store(1) // the first address is next
	if err := send(t, both, http.MethodGet, ""); err != nil || all[0].seen.Load() != 2 || all[1].seen.Load() != 2 {
		t.Errorf("%v, %d and %d requests", err, all[0].seen.Load(), all[1].seen.Load())
	}
	// On a new connection, a request without a response has failed.
	if got, err := get(t.Context(), newScripted(t, "").transport(t), "/"); !errors.Is(err, io.EOF) {
		t.Errorf("%q, %v", got, err)
	}
}

// The bound of the header must not bound the body.
func TestBodyMayBeLongerThanTheHeader(t *testing.T) {
	t.Parallel()

	long := strings.Repeat("x", 3*maxHead)
	for _, answer := range []string{answering(long), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + long} {
		s := newScripted(t, answer)
		s.once = true
		if got, err := get(t.Context(), s.transport(t), "/"); got != long || err != nil {
			t.Errorf("%d bytes of %d, %v", len(got), len(long), err)
		}
	}
}

// exchange (GET) and net/http's transport (POST) refuse the same responses.
func TestMalformedResponsesAreRefusedForEveryMethod(t *testing.T) {
	t.Parallel()

	interim := "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
	for name, tt := range map[string]struct {
		response string
		want     int // 0: refused
	}{
		"no HTTP":                     {"220 mail.example ESMTP\r\n\r\n", 0},
		"a change of protocol":        {"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", 0},
		"a header of 2 MB":            {"HTTP/1.1 200 OK\r\nX-Long: " + strings.Repeat("x", 2<<20) + "\r\nContent-Length: 0\r\n\r\n", 0},
		"many headers of 2 MB":        {"HTTP/1.1 200 OK\r\n" + strings.Repeat("X-Long: "+strings.Repeat("x", 1<<10)+"\r\n", 2<<10) + "Content-Length: 0\r\n\r\n", 0},
		"2 MB of interim responses":   {strings.Repeat(interim, 2<<20/len(interim)) + answering("late"), 0},
		"50 interim responses":        {strings.Repeat(interim, 50) + answering("at last"), http.StatusOK},
		"status 000":                  {"HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n", 0},
		"status 042":                  {"HTTP/1.1 042 Nothing\r\nContent-Length: 0\r\n\r\n", 0},
		"status 599":                  {"HTTP/1.1 599 Something\r\nContent-Length: 0\r\n\r\n", 599},
		"status 199 before the other": {"HTTP/1.1 199 Something\r\n\r\n" + answering("at last"), http.StatusOK},
		"status 600":                  {"HTTP/1.1 600 Too much\r\nContent-Length: 0\r\n\r\n", 0},
		"status 999":                  {"HTTP/1.1 999 Too much\r\nContent-Length: 0\r\n\r\n", 0},
		"two lengths":                 {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx", 0},
		"a negative length":           {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", 0},
		"an unknown coding":           {"HTTP/1.1 200 OK\r\nTransfer-Encoding: x\r\n\r\n", 0},
		"an unassigned status":        {"HTTP/1.1 299 Fine\r\nContent-Length: 0\r\n\r\n", 299},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			t.Run(method+" "+name, func(t *testing.T) {
				t.Parallel()
				s := newScripted(t, tt.response)
				handler := &Handler{MaxBody: 1 << 20, transport: s.transport(t)}
				var sent io.Reader
				if method == http.MethodPost {
					sent = strings.NewReader("{}")
				}
				w := httptest.NewRecorder()
				err := handler.ServeHTTP(w, request(t, method, "/", sent), nil)
				if tt.want != 0 {
					if err != nil || w.Code != tt.want {
						t.Errorf("%d, %v", w.Code, err)
					}
					return
				}
				failure, ok := errors.AsType[caddyhttp.HandlerError](err)
				if !ok || failure.StatusCode != http.StatusBadGateway {
					t.Errorf("%d, %v", w.Code, err)
				}
				<-s.closed
				if n := s.connections.Load(); n != 1 {
					t.Errorf("the request was sent %d times", n)
				}
			})
		}
	}
}

// At most two attempts, however many idle connections break.
func TestGetIsSentAtMostTwice(t *testing.T) {
	t.Parallel()

	var sent atomic.Int32
	var breaks atomic.Bool
	arrived := make(chan struct{}, 8)
	release := make(chan struct{})
	all := replicas(t, 2, func(http.ResponseWriter, *http.Request) {
		if breaks.Load() {
			sent.Add(1)
			panic(http.ErrAbortHandler)
		}
		arrived <- struct{}{}
		<-release
	})
	transport, _ := transportTo(t, all)
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodOptions} {
		breaks.Store(false)
		var open sync.WaitGroup
		for range 8 { // idle connections to both
			open.Go(func() {
				if err := send(t, transport, method, ""); err != nil {
					t.Error(err)
				}
			})
		}
		for range 8 {
			<-arrived
		}
		close(release)
		open.Wait()
		release = make(chan struct{})
		breaks.Store(true)
		sent.Store(0)
		if err := send(t, transport, method, ""); err == nil || isTimeout(err) {
			t.Errorf("%s: %v", method, err)
		}
		if n := sent.Load(); n != 2 {
			t.Errorf("%s was sent %d times", method, n)
		}
	}
}

func TestTruncatedResponseIsAnError(t *testing.T) {
	t.Parallel()

	for _, answer := range []string{
		"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 10\r\n\r\nhalf",
		"HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
	} {
		s := newScripted(t, answer)
		s.once = true
		if got, err := get(t.Context(), s.transport(t), "/"); got != "half" || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// Before and after the response begins.
func TestClientDisconnectEndsTheExchange(t *testing.T) {
	t.Parallel()

	for name, answer := range map[string]string{
		"before the answer": "HTTP/1.1 100 Continue\r\n\r\n",
		"during the answer": "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, answer, answering("next"))
			through := s.transport(t)
			ctx, leave := context.WithCancel(t.Context())
			done := make(chan error)
			go func() {
				_, err := get(ctx, through, "/")
				done <- err
			}()
			<-s.read
			leave()
			if err := <-done; err == nil {
				t.Error("the answer is whole")
			}
			<-s.closed
			if got, err := get(t.Context(), through, "/"); got != "next" || err != nil {
				t.Errorf("the next answer is %q, %v", got, err)
			}
			if is := through.service.pick(nil).currentState(); is != unknown {
				t.Errorf("the address is %v", is)
			}
		})
	}
}

func TestLateResponseIsATimeout(t *testing.T) {
	t.Parallel()

	s := newScripted(t, answering("used before"), "HTTP/1.1 100 Continue\r\n\r\n")
	through := s.transport(t)
	if _, err := get(t.Context(), through, "/"); err != nil {
		t.Fatal(err)
	}
	through.timeout = 30 * time.Millisecond
	_, err := get(t.Context(), through, "/")
	if slow, ok := errors.AsType[net.Error](err); !ok || !slow.Timeout() {
		t.Errorf("%v", err)
	}
	if is := (*through.service.addresses.Load())[0].currentState(); is != unknown {
		t.Errorf("one response that is late makes the address %v", is)
	}
	if n := s.connections.Load(); n != 1 {
		t.Errorf("the request was sent %d times", n)
	}
}

func BenchmarkExchange(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"shipments":[]}`)
	}))
	defer server.Close()
	watched, err := newService(server.Listener.Addr().String(), nil)
	if err != nil {
		b.Fatal(err)
	}
	watched.logger = zap.NewNop()
	watched.setAddresses([]netip.Addr{netip.MustParseAddr("127.0.0.1")})
	through := newTransport(watched, time.Second)
	for name, roundTrip := range map[string]func(*http.Request) (*http.Response, error){
		"exchange": through.RoundTrip, "net/http": func(r *http.Request) (*http.Response, error) {
			r.URL.Scheme, r.URL.Host = "http", watched.name
			return through.http.RoundTrip(r)
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, _ := http.NewRequestWithContext(b.Context(), http.MethodGet, "/", nil)
				answer, err := roundTrip(r)
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
			}
		})
	}
}
