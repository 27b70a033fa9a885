package drain

import (
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

func init() { caddy.RegisterModule(new(Wrapper)) }

// Wrapper is a listener wrapper whose listeners stop accepting connections when draining begins, before the server
// stops.
type Wrapper struct {
	// Delay is the time between SIGTERM and draining, in which /readyz is already 503. Default: 0
	Delay caddy.Duration `json:"delay,omitempty"`

	app *App
}

// CaddyModule returns the Caddy module information.
func (*Wrapper) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "caddy.listeners.token_gate_drain", New: func() caddy.Module { return new(Wrapper) }}
}

// Provision implements caddy.Provisioner.
func (w *Wrapper) Provision(ctx caddy.Context) (err error) {
	if w.app, err = FromContext(ctx); err != nil {
		return err
	}
	w.app.mu.Lock()
	defer w.app.mu.Unlock()
	w.app.delay = max(w.app.delay, time.Duration(w.Delay))
	return nil
}

// Validate implements caddy.Validator.
func (w *Wrapper) Validate() error {
	if w.Delay < 0 {
		return fmt.Errorf("drain: %v is not a delay", time.Duration(w.Delay))
	}
	return nil
}

// WrapListener implements caddy.ListenerWrapper.
func (w *Wrapper) WrapListener(inner net.Listener) net.Listener {
	l := &listener{Listener: inner, closeInner: sync.OnceValue(inner.Close), closed: make(chan struct{})}
	w.app.mu.Lock()
	defer w.app.mu.Unlock()
	w.app.listeners = append(w.app.listeners, l)
	return l
}

// UnmarshalCaddyfile sets up the wrapper from Caddyfile tokens. Syntax:
//
//	token_gate_drain [<delay>]
func (w *Wrapper) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the name of the module
	if d.NextArg() {
		delay, err := caddy.ParseDuration(d.Val())
		if err != nil || delay < 0 {
			return d.Errf("drain: %s is not a duration", d.Val())
		}
		w.Delay = caddy.Duration(delay)
	}
	if d.NextArg() || d.NextBlock(0) {
		return d.ArgErr()
	}
	return nil
}

// listener can stop accepting before it is closed.
type listener struct {
	net.Listener

	closeInner func() error // closes Listener, once
	draining   atomic.Bool
	close      sync.Once
	closed     chan struct{}
}

// Accept implements net.Listener. While the listener drains, it blocks until Close, so that the server does not stop
// before its shutdown.
func (l *listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil && l.draining.Load() {
		<-l.closed
	}
	return conn, err
}

func (l *listener) drain() {
	l.draining.Store(true)
	_ = l.closeInner() // Close returns the same error
}

// Close implements net.Listener.
func (l *listener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return l.closeInner()
}

// Interface guards
var (
	_ caddy.Provisioner     = (*Wrapper)(nil)
	_ caddy.ListenerWrapper = (*Wrapper)(nil)
	_ caddyfile.Unmarshaler = (*Wrapper)(nil)
)
