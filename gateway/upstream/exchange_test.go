package upstream

import (
	"bufio"
	"context"
	"errors"
	"fmt"
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

// scripted is a service that writes given responses: one per request, on any connection, in turn. An empty one closes
// the connection.
type scripted struct {
	net.Listener

	answers     chan string
	connections atomic.Int32
	read        chan string // request lines
	closed      chan struct{}
	once        bool // close each connection after one answer
}

func newScripted(t *testing.T, answers ...string) *scripted {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &scripted{
		Listener: listener, answers: make(chan string, len(answers)), read: make(chan string, len(answers)+1),
		closed: make(chan struct{}, len(answers)+1),
	}
	for _, a := range answers {
		s.answers <- a
	}
	close(s.answers)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.connections.Add(1)
			go s.serve(conn)
		}
	}()
	return s
}

func (s *scripted) serve(conn net.Conn) {
	defer func() {
		_ = conn.Close()
		s.closed <- struct{}{}
	}()
	reader := bufio.NewReader(conn)
	for {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		s.read <- request.Method + " " + request.RequestURI
		answer := <-s.answers
		if _, err := io.WriteString(conn, answer); err != nil || answer == "" || s.once {
			return
		}
	}
}

// transport returns a transport to s, whose state is unknown.
func (s *scripted) transport(t *testing.T) *transport {
	t.Helper()
	watched, err := newService(s.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	watched.logger = zap.NewNop()
	watched.setAddresses([]netip.Addr{netip.MustParseAddr("127.0.0.1")})
	t.Cleanup(func() { watched.setAddresses(nil) })
	return newTransport(watched, 5*time.Second)
}

// get requests path and reads the whole response.
func get(ctx context.Context, through *transport, path string) (string, error) {
	request := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	answer, err := through.RoundTrip(request)
	if err != nil {
		return "", err
	}
	body, err := io.ReadAll(answer.Body)
	return string(body), errors.Join(err, answer.Body.Close())
}

func answering(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

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

// Unsolicited bytes must not be read as the response to another client's request.
func TestConnectionWithUnreadBytesIsNotReused(t *testing.T) {
	t.Parallel()

	for name, spoiled := range map[string]string{
		"at once":             answering("mine") + answering("of nobody"),
		"after a chunked one": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nmine\r\n0\r\n\r\n" + answering("of nobody"),
		"after no content":    "HTTP/1.1 204 No Content\r\n\r\nof nobody",
		"announced closed":    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nmine",
		"without a length":    "HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nmine",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, spoiled, answering("yours"))
			through := s.transport(t)
			if got, err := get(t.Context(), through, "/mine"); err != nil || got != "mine" && got != "" {
				t.Fatalf("%q, %v", got, err)
			}
			if got, err := get(t.Context(), through, "/yours"); got != "yours" || err != nil {
				t.Errorf("the next answer is %q, %v", got, err)
			}
			if n := s.connections.Load(); n != 2 {
				t.Errorf("%d connections", n)
			}
		})
	}
}

// The same when the bytes arrive after the response was read.
func TestConnectionWithUnsolicitedBytesIsNotReused(t *testing.T) {
	t.Parallel()

	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	dialed, err := new(net.Dialer).DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	peer, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	w, err := newClientConn(dialed.(*net.TCPConn))
	if err != nil {
		t.Fatal(err)
	}
	if !w.isIdle() {
		t.Error("a new connection is not quiet")
	}
	if _, err := io.WriteString(peer, answering("of nobody")); err != nil {
		t.Fatal(err)
	}
	w.headerLeft = 1
	if _, err := w.reader.Peek(1); err != nil { // the bytes have arrived
		t.Fatal(err)
	}
	if w.isIdle() {
		t.Error("bytes wait in the connection, which is quiet")
	}
	_ = peer.Close()
	if _, err := io.Copy(io.Discard, w.TCPConn); err != nil {
		t.Fatal(err)
	}
	if w.isIdle() {
		t.Error("a closed connection is quiet")
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
	// On a new connection, a request without a response has failed.
	if got, err := get(t.Context(), newScripted(t, "").transport(t), "/"); !errors.Is(err, io.EOF) {
		t.Errorf("%q, %v", got, err)
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
		"no HTTP":                      {"220 mail.example ESMTP\r\n\r\n", 0},
		"a change of protocol":         {"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", 0},
		"a header of 2 MB":             {"HTTP/1.1 200 OK\r\nX-Long: " + strings.Repeat("x", 2<<20) + "\r\nContent-Length: 0\r\n\r\n", 0},
		"many headers of 2 MB":         {"HTTP/1.1 200 OK\r\n" + strings.Repeat("X-Long: "+strings.Repeat("x", 1<<10)+"\r\n", 2<<10) + "Content-Length: 0\r\n\r\n", 0},
		"50 interim responses":         {strings.Repeat(interim, 50) + answering("late"), 0},
		"endless interim responses":    {strings.Repeat(interim, maxInterim+1), 0},
		"as many as may be":            {strings.Repeat(interim, maxInterim) + answering("at last"), http.StatusOK},
		"status 000":                   {"HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n", 0},
		"status 042":                   {"HTTP/1.1 042 Nothing\r\nContent-Length: 0\r\n\r\n", 0},
		"status 600":                   {"HTTP/1.1 600 Too much\r\nContent-Length: 0\r\n\r\n", 0},
		"status 999":                   {"HTTP/1.1 999 Too much\r\nContent-Length: 0\r\n\r\n", 0},
		"two lengths":                  {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx", 0},
		"a negative length":            {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", 0},
		"an unknown coding":            {"HTTP/1.1 200 OK\r\nTransfer-Encoding: x\r\n\r\n", 0},
		"a status nobody has heard of": {"HTTP/1.1 299 Fine\r\nContent-Length: 0\r\n\r\n", 299},
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

func TestIdleConnectionsAreClosed(t *testing.T) {
	t.Parallel()

	s := newScripted(t, answering("one"), answering("two"))
	through := s.transport(t)
	a := (*through.service.addresses.Load())[0]
	if _, err := get(t.Context(), through, "/"); err != nil {
		t.Fatal(err)
	}
	a.conns.expire(time.Now().Add(-time.Hour))
	if len(a.conns.idle) != 1 {
		t.Error("a connection that was just used is gone")
	}
	a.conns.expire(time.Now())
	<-s.closed

	if _, err := get(t.Context(), through, "/"); err != nil {
		t.Fatal(err)
	}
	through.service.setAddresses(nil) // the name has another address now
	<-s.closed
	if len(a.conns.idle) != 0 {
		t.Error("a connection is kept to an address that is none any more")
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
