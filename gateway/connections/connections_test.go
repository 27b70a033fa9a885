package connections

import (
	"io"
	"net"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// Connections beyond a bound are closed, those of another address are not, and an ended one makes room.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()

	w := new(Wrapper)
	if err := w.UnmarshalCaddyfile(caddyfile.NewTestDispenser("connections 4 2 127.3.0.0/16")); err != nil {
		t.Fatal(err)
	}
	if err := w.Provision(caddy.Context{}); err != nil {
		t.Fatal(err)
	}
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := w.WrapListener(inner)
	t.Cleanup(func() { _ = l.Close() })
	accepted := make(chan net.Conn, 10)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "x")
			accepted <- conn
		}
	}()
	// open reports whether a connection from that address is accepted.
	open := func(from string) bool {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		conn, err := dialer.DialContext(t.Context(), "tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		n, _ := conn.Read(make([]byte, 1))
		return n == 1
	}
	for i, tt := range []struct {
		from string
		want bool
	}{
		{"127.1.0.1", true}, {"127.1.0.1", true}, {"127.1.0.1", false}, // its bound
		{"127.1.0.2", true}, {"127.3.0.1", true}, {"127.3.0.1", false}, // the total
	} {
		if got := open(tt.from); got != tt.want {
			t.Errorf("connection %d from %s: accepted %t", i, tt.from, got)
		}
	}
	for range 4 {
		conn := <-accepted
		_, _ = conn.Close(), conn.Close() // counts once
	}
	for i := range 3 {
		if !open("127.3.0.1") {
			t.Errorf("connection %d of an excepted address is refused", i)
		}
	}
}

func TestConnectionsNeedsTwoNumbers(t *testing.T) {
	t.Parallel()

	for _, text := range []string{"connections", "connections 1", "connections 0 1", "connections 1 x"} {
		if err := new(Wrapper).UnmarshalCaddyfile(caddyfile.NewTestDispenser(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	if (&Wrapper{Except: []string{"x"}}).Provision(caddy.Context{}) == nil {
		t.Error("an invalid configuration is accepted")
	}
}
