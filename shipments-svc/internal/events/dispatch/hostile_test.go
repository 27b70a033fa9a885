package dispatch

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/limit"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// receiver is a server that calls serve for each connection after the request
// header.
func receiver(t *testing.T, serve func(net.Conn)) (url string) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				r := bufio.NewReader(conn)
				for line, err := r.ReadString('\n'); err == nil && line != "\r\n"; line, err = r.ReadString('\n') {
				}
				serve(conn)
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// repeat writes a text until the peer closes the connection.
func repeat(text string, every time.Duration) func(net.Conn) {
	return func(c net.Conn) {
		tick := time.NewTicker(max(every, time.Nanosecond))
		defer tick.Stop()
		for {
			if _, err := io.WriteString(c, text); err != nil {
				return
			}
			if every > 0 {
				<-tick.C
			}
		}
	}
}

// after writes a text and continues.
func after(text string, then func(net.Conn)) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = io.WriteString(c, text)
		then(c)
	}
}

func hang(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// hostile are receivers that try to keep connections open.
func hostile() map[string]func(net.Conn) {
	const head = "HTTP/1.1 200 OK\r\n"
	return map[string]func(net.Conn){
		"hangs":                       hang,
		"hangs in its head":           after(head+"X: ", hang),
		"drips its status":            repeat("H", 20*time.Millisecond),
		"drips its body":              after(head+"\r\n", repeat("x", 20*time.Millisecond)),
		"streams without an end":      after(head+"\r\n", repeat(strings.Repeat("x", 1<<16), 0)),
		"streams chunks":              after(head+"Transfer-Encoding: chunked\r\n\r\n", repeat("1\r\nx\r\n", 0)),
		"sends a header without end":  after(head+"X: ", repeat(strings.Repeat("x", 1<<12), 0)),
		"sends headers without end":   after(head, repeat("X: y\r\n", 0)),
		"sends 100 Continue for ever": repeat("HTTP/1.1 100 Continue\r\n\r\n", 0),
		"closes":                      func(net.Conn) {},
		"resets":                      func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) },
		"is no HTTP":                  after("220 mail.example.com ESMTP\r\n", func(net.Conn) {}),
		"promises more than it sends": after(head+"Content-Length: 1000000\r\n\r\nx", func(net.Conn) {}),
	}
}

// TestSlowReceiversTimeOut without leaking goroutines.
func TestSlowReceiversTimeOut(t *testing.T) {
	before := runtime.NumGoroutine()
	accepted := map[string]bool{
		"drips its body":              true,
		"streams without an end":      true,
		"streams chunks":              true,
		"promises more than it sends": true,
	}
	t.Run("all", func(t *testing.T) {
		for name, serve := range hostile() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				client := NewClient(ClientConfig{Loopback: true})
				client.Timeout = 500 * time.Millisecond
				start := time.Now()
				got, _, _ := send(t.Context(), client, job(receiver(t, serve)), "evt_1", []byte("{}"), start)
				if took := time.Since(start); took > 30*time.Second {
					t.Errorf("it took %s", took)
				}
				if (got == webhooks.Accepted) != accepted[name] {
					t.Errorf("it ended as %s", got)
				}
			})
		}
	})
	for deadline := time.Now().Add(30 * time.Second); runtime.NumGoroutine() > before+2; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

// TestConnectionsAreReused after a complete response, also by other deliveries; a
// connection that the receiver closed costs no attempt.
func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	connections := map[string]bool{}
	long := false
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		connections[r.RemoteAddr] = true
		if long {
			_, _ = w.Write(make([]byte, 2*maxAnswer))
		}
	}))
	defer srv.Close()
	client := NewClient(ClientConfig{Loopback: true})
	used := func(times int) int {
		t.Helper()
		for range times {
			if got, _, _ := send(t.Context(), client, job(srv.URL), "", []byte("{}"),
				time.Now()); got != webhooks.Accepted {
				t.Error(got)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		return len(connections)
	}
	if n := used(5); n != 1 {
		t.Errorf("%d connections for 5 requests", n)
	}
	srv.CloseClientConnections()
	if n := used(5); n != 2 {
		t.Errorf("%d connections after one was closed", n)
	}
	mu.Lock()
	long = true
	mu.Unlock()
	if n := used(3); n != 4 {
		t.Errorf("%d connections, one for each answer that was not read to its end", n)
	}
}

func TestUntrustedCertificateIsRefused(t *testing.T) {
	t.Parallel()
	called := atomic.Bool{}
	srv := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called.Store(true) }))
	defer srv.Close()
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called.Store(true) }))
	defer plain.Close()
	for name, url := range map[string]string{
		"an unknown authority": srv.URL,
		"no TLS":               strings.Replace(plain.URL, "http:", "https:", 1),
	} {
		client := NewClient(ClientConfig{Loopback: true})
		client.Timeout, client.Transport.(*http.Transport).TLSHandshakeTimeout = time.Hour, time.Hour
		if got, _, _ := send(t.Context(), client, job(url), "", nil, time.Now()); got != webhooks.TLSFailed || called.Load() {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestAnAttemptThatHangsGivesWay to another organization, long before it times out.
func TestAnAttemptThatHangsGivesWay(t *testing.T) {
	t.Parallel()
	sent := make(chan bool)
	queue := hanging{
		url: receiver(t, func(c net.Conn) { sent <- true; hang(c) }), outcomes: make(chan webhooks.Outcome, 1),
	}
	client := NewClient(ClientConfig{Loopback: true})
	client.Timeout = time.Hour
	d := New(queue, Config{
		Client: client, Now: time.Now, Note: func(err error) { t.Error(err) },
		Render:    func(shipments.Event) (string, []byte, error) { return "evt_1", nil, nil },
		Attempted: func(webhooks.Outcome, time.Duration) {},
	})
	d.endpoints = limit.New[webhooks.EndpointKey](limit.Config{Each: 1}) // no further workers
	d.attempts = limit.New[shipments.Organization](limit.Config{Total: 2, Each: 2, Queue: 1, Wait: time.Hour})
	for range 2 {
		go d.deliver(t.Context(), t.Context(), webhooks.EndpointKey{Org: shipments.OrgID{1}})
		<-sent
	}
	release, err := d.attempts.Acquire(t.Context(), shipments.Organization{2}, 1)
	if err != nil {
		t.Fatal(err)
	}
	release()
	if got := <-queue.outcomes; got != webhooks.TimedOut {
		t.Errorf("the first one: %s", got)
	}
}

// hanging is a Queue of deliveries to a receiver that hangs.
type hanging struct {
	Queue
	url      string
	outcomes chan webhooks.Outcome
}

func (h hanging) Claim(context.Context, webhooks.EndpointKey, time.Time, time.Time) (webhooks.Job, bool, error) {
	return job(h.url), true, nil
}

func (h hanging) Finish(_ context.Context, _ webhooks.Job, a webhooks.Attempt, _ webhooks.Verdict) error {
	h.outcomes <- a.Outcome
	return nil
}
