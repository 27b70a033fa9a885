package drain

import (
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// A server whose Accept fails would stop and interrupt its requests.
func TestDrainingListenerReturnsWhenClosed(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		app := new(App)
		inner := &idle{closed: make(chan struct{})}
		l := (&Wrapper{app: app}).WrapListener(inner)
		accepted := make(chan error, 1)
		go func() { _, err := l.Accept(); accepted <- err }()

		began := time.Now()
		if err := app.Handle(t.Context(), caddy.Event{}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != LameDuck || !app.Draining() || inner.closes != 1 {
			t.Errorf("left for %v, near %v, closed %d times", took, app.Draining(), inner.closes)
		}
		synctest.Wait()
		select {
		case err := <-accepted:
			t.Fatalf("Accept has returned %v", err)
		default:
		}
		if err := errors.Join(l.Close(), l.Close()); err != nil {
			t.Error(err)
		}
		if err := <-accepted; !errors.Is(err, net.ErrClosed) || inner.closes != 1 {
			t.Errorf("%v, closed %d times", err, inner.closes)
		}
	})
}

func TestClosedListenerReturnsImmediately(t *testing.T) {
	t.Parallel()

	l := (&Wrapper{app: new(App)}).WrapListener(&idle{closed: make(chan struct{})})
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

func TestDelayIsReadFromTheCaddyfile(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]time.Duration{
		"drain": 0, "drain 5s": 5 * time.Second, "drain 0s": 0,
		"drain soon": -1, "drain -1s": -1, "drain 1s 2s": -1,
	} {
		var w Wrapper
		err := w.UnmarshalCaddyfile(caddyfile.NewTestDispenser(text))
		if (err == nil) != (want >= 0) || err == nil && time.Duration(w.Delay) != want {
			t.Errorf("%q: %v, %v", text, w.Delay, err)
		}
	}
}

// idle is a listener without connections.
type idle struct {
	net.Listener

	closed chan struct{}
	closes int
}

func (l *idle) Accept() (net.Conn, error) {
	<-l.closed
	return nil, net.ErrClosed
}

func (l *idle) Close() error {
	if l.closes++; l.closes == 1 {
		close(l.closed)
	}
	return nil
}
