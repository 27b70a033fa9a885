package parting

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"golang.org/x/sys/unix"
)

// inCaddy is a listener as Caddy makes it.
type inCaddy struct{ net.Listener }

// listenBeside opens one more socket at an address, as each configuration does. Multipath TCP cannot be steered.
func listenBeside(t *testing.T, address string) net.Listener {
	t.Helper()
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		return errors.Join(c.Control(func(fd uintptr) {
			err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
		}), err)
	}}
	config.SetMultipathTCP(false)
	l, err := config.Listen(context.Background(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return inCaddy{l}
}

// reach makes connections to an address.
func reach(t *testing.T, address string, times int) (conns []net.Conn) {
	t.Helper()
	for range times {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		conns = append(conns, conn)
	}
	return conns
}

// acceptAll accepts and closes what comes to l until l is closed, and tells then how many those were.
func acceptAll(l net.Listener) <-chan int {
	count := make(chan int, 1)
	go func() {
		n := 0
		for {
			conn, err := l.Accept()
			if err != nil {
				count <- n
				return
			}
			n++
			_ = conn.Close()
		}
	}()
	return count
}

// What the kernel has made for the configuration that goes would be reset when its socket is closed, and all that
// comes from then on is the next one's. So it is with each reload, also when the next one goes.
func TestAReloadResetsNoConnectionThatWaits(t *testing.T) {
	t.Parallel()

	const each = 40
	app := new(App)
	old := (&Wrapper{app: app}).WrapListener(listenBeside(t, "127.0.0.1:0"))
	address := old.Addr().String()
	var olds []net.Conn
	for range 3 {
		olds = append(olds, reach(t, address, each)...)
		nextApp := new(App)
		next := (&Wrapper{app: nextApp}).WrapListener(listenBeside(t, address))
		if err := app.Handle(t.Context(), caddy.Event{}); err != nil {
			t.Fatal(err)
		}
		nexts := reach(t, address, each)

		accepted := acceptAll(old)
		for _, conn := range olds {
			if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
				t.Fatal(err)
			}
			if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
				t.Fatalf("a connection that waited: %v", err)
			}
		}
		if err := old.Close(); err != nil {
			t.Fatal(err)
		}
		if n := <-accepted; n != len(olds) {
			t.Errorf("%d came to the configuration that goes, %d of them late", n, n-len(olds))
		}
		app, old, olds = nextApp, next, nexts
	}
}
