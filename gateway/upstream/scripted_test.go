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
	"sync/atomic"
	"testing"
	"time"

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
