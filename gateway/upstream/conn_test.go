package upstream

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// Unsolicited bytes must not be read as the response to another client's request.
func TestConnectionWithUnreadBytesIsNotReused(t *testing.T) {
	t.Parallel()

	for name, spoiled := range map[string]string{
		"at once":             answering("mine") + answering("unrequested"),
		"after a chunked one": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nmine\r\n0\r\n\r\n" + answering("unrequested"),
		"after no content":    "HTTP/1.1 204 No Content\r\n\r\nunrequested",
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
	if _, err := io.WriteString(peer, answering("unrequested")); err != nil {
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

func TestChecksCloseConnectionsThatAreIdleForLong(t *testing.T) {
	t.Parallel()

	transport, _ := transportTo(t, replicas(t, 1, nil))
	if err := send(t, transport, http.MethodGet, ""); err != nil {
		t.Fatal(err)
	}
	conns := &(*transport.service.addresses.Load())[0].conns
	if transport.service.checkAll(t.Context()); len(conns.idle) != 1 {
		t.Error("a connection that was just used is gone")
	}
	conns.idle[0].idleSince = time.Now().Add(-keepIdle)
	if transport.service.checkAll(t.Context()); len(conns.idle) != 0 {
		t.Error("a connection that the service is about to close is kept")
	}
}

func TestConnectionIsReusedAfterAResponseWithoutABody(t *testing.T) {
	t.Parallel()

	const empty = "HTTP/1.1 204 No Content\r\n\r\n"
	s := newScripted(t, empty, empty)
	through := s.transport(t)
	for range 2 {
		response, err := through.RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close() // unread
	}
	if n := s.connections.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// An address that the name lost is not used again, so its connections would stay open.
func TestConnectionInUseIsClosedWhenItsAddressIsGone(t *testing.T) {
	t.Parallel()

	through := newScripted(t, answering("last")).transport(t)
	conns := &(*through.service.addresses.Load())[0].conns
	response, err := through.RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	if err != nil {
		t.Fatal(err)
	}
	through.service.setAddresses(nil)
	if got, err := io.ReadAll(response.Body); string(got) != "last" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _ = response.Body.Close(); len(conns.idle) != 0 {
		t.Error("it is kept")
	}
}
