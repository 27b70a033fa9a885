package tokengate

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"
)

// serveBodies starts a server that gives a body readTimeout, and a handler what the gate gives to those behind it.
func serveBodies(t *testing.T, readTimeout time.Duration, handler http.HandlerFunc) net.Addr {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out, r := new(Gate).receive(w, r)
		out.body = takeBody(w, r)
		handler(out, r)
		out.implicitHeader()
	}))
	server.Config.ReadTimeout, server.Config.IdleTimeout = readTimeout, time.Hour
	server.Start()
	t.Cleanup(server.Close)
	return server.Listener.Addr()
}

// send opens a connection and writes request.
func send(t *testing.T, to net.Addr, request string) net.Conn {
	t.Helper()
	conn, err := net.Dial(to.Network(), to.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	return conn
}

// However a proxy and net/http meet over a body that does not come: the rest of it is never read as a request.
func TestAnUnfinishedBodyEndsItsConnection(t *testing.T) {
	t.Parallel()

	to := serveBodies(t, time.Second, func(w http.ResponseWriter, r *http.Request) {
		go func() { // as a transport does that was responseBegins before it had sent all
			_, _ = io.Copy(io.Discard, r.Body)
			_ = r.Body.Close()
		}()
		_, _ = io.WriteString(w, "early")
	})
	conns := make([]net.Conn, 200)
	for i := range conns {
		conns[i] = send(t, to, "POST / HTTP/1.1\r\nHost: api\r\nContent-Length: 10\r\n\r\nhalf")
	}
	for _, conn := range conns {
		answer, err := io.ReadAll(conn)
		if errors.Is(err, os.ErrDeadlineExceeded) || bytes.Count(answer, []byte("HTTP/1.1")) != 1 {
			t.Fatalf("%q, %v", answer, err)
		}
	}
}

// The time for a request is not the time for its answer.
func TestAnAnswerMayTakeLongerThanItsRequest(t *testing.T) {
	t.Parallel()

	const readTimeout = 2 * time.Second // the head of the request has to arrive within it
	to := serveBodies(t, readTimeout, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-r.Context().Done():
			w.WriteHeader(http.StatusGatewayTimeout)
		case <-time.After(readTimeout + time.Second):
		}
	})
	for _, request := range []string{
		"POST / HTTP/1.1\r\nHost: api\r\nContent-Length: 2\r\n\r\n{}",
		"GET / HTTP/1.1\r\nHost: api\r\nPrefer: wait=25\r\n\r\n",
	} {
		response, err := http.ReadResponse(bufio.NewReader(send(t, to, request)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _ = response.Body.Close(); response.StatusCode != http.StatusOK {
			t.Errorf("%.4s: %s", request, response.Status)
		}
	}
}

// A client that is responseBegins while it still sends is not kept waiting for its own body.
func TestAnAnswerDoesNotWaitForTheBody(t *testing.T) {
	t.Parallel()

	to := serveBodies(t, time.Minute, func(w http.ResponseWriter,
		_ *http.Request,
	) {
		w.WriteHeader(http.StatusUnauthorized)
	})
	conn := send(t, to, "POST / HTTP/1.1\r\nHost: api\r\nContent-Length: 10\r\n\r\nhalf")
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _ = response.Body.Close(); response.StatusCode != http.StatusUnauthorized || !response.Close {
		t.Errorf("%s, closing: %v", response.Status, response.Close)
	}
}
