// Package faultproxy stands between a program under test and Postgres, and
// lets Postgres fail in the ways that a network and a server have.
package faultproxy

import (
	"context"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
)

// Fault is a way to fail.
type Fault int32

// The ways to fail.
const (
	None    Fault = iota // everything is forwarded
	Silent               // connections are accepted and kept, and nothing more comes through any of them
	Refused              // connections end at once, the open ones too
	Full                 // new connections get 53300, too_many_connections
	Garbled              // what the server says begins with noise where the kind of a message stands
)

// Proxy forwards connections to one Postgres.
type Proxy struct {
	listener net.Listener
	target   string

	fault atomic.Int32
	left  atomic.Int64 // how many pieces come through until CutAfter cuts; negative: it is not to, or has

	mu   sync.Mutex
	open []net.Conn
}

// New returns a proxy before the server that dsn, a URL, names, and the DSN
// that leads through it.
func New(tb testing.TB, dsn string) (*Proxy, string) {
	tb.Helper()
	u, err := url.Parse(dsn)
	if err != nil || u.Port() == "" {
		tb.Skip("TEST_DATABASE_URL is not a URL with a port, which the proxy needs")
	}
	listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	p := &Proxy{listener: listener, target: u.Host}
	p.left.Store(-1)
	var running sync.WaitGroup
	running.Go(func() { p.serve(&running) })
	tb.Cleanup(func() {
		_ = listener.Close()
		p.hangUp()
		running.Wait()
	})
	u.Host = listener.Addr().String()
	return p, u.String()
}

// Set makes Postgres fail from now on, or heals it. Connections that were
// silent when it heals stay so: their ends do not know of each other any more.
func (p *Proxy) Set(f Fault) {
	p.fault.Store(int32(f))
	if f == Refused {
		p.hangUp()
	}
}

// CutAfter ends the open connections once so many more pieces of what either
// side says have come through; the next piece does not. New connections are
// forwarded. With a number from 0 upwards each, a request is interrupted at
// every point between two messages.
func (p *Proxy) CutAfter(pieces int) { p.left.Store(int64(pieces)) }

// Disarm takes CutAfter back and reports whether it has happened.
func (p *Proxy) Disarm() (happened bool) { return p.left.Swap(-1) < 0 }

// cut reports whether this is the piece that does not come through.
func (p *Proxy) cut() bool { return p.left.Add(-1) == -1 }

func (p *Proxy) serve(running *sync.WaitGroup) {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		running.Go(func() { p.handle(client, running) })
	}
}

func (p *Proxy) handle(client net.Conn, running *sync.WaitGroup) {
	p.keep(client)
	switch p.now() {
	case Refused:
		_ = client.Close()
		return
	case Full:
		_, _ = client.Read(make([]byte, 1024)) // the startup message
		_, _ = client.Write(tooManyConnections())
		_ = client.Close()
		return
	case None, Silent, Garbled:
	}
	server, err := new(net.Dialer).DialContext(context.Background(), "tcp", p.target)
	if err != nil {
		_ = client.Close()
		return
	}
	p.keep(server)
	running.Go(func() { p.pump(server, client, true) })
	p.pump(client, server, false)
}

// pump forwards what comes from one side until that ends; or, once nothing is
// to come through any more, swallows it. answers says whether it is the server's.
func (p *Proxy) pump(from, to net.Conn, answers bool) {
	buf := make([]byte, 32<<10)
	silent := false
	for {
		n, err := from.Read(buf)
		if silent = silent || p.now() == Silent; silent {
			if err != nil {
				return // the other side is not closed
			}
			continue
		}
		if n > 0 && p.cut() {
			p.hangUp()
			return
		}
		if n > 0 && answers && p.now() == Garbled {
			buf[0] |= 0x80
		}
		if n > 0 {
			_, _ = to.Write(buf[:n])
		}
		if err != nil {
			_ = to.Close()
			return
		}
	}
}

func (p *Proxy) now() Fault { return Fault(p.fault.Load()) }

func (p *Proxy) keep(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = append(p.open, c)
}

func (p *Proxy) hangUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.open {
		_ = c.Close()
	}
	p.open = nil
}

// tooManyConnections is an ErrorResponse of Postgres's protocol.
func tooManyConnections() []byte {
	const fields = "SFATAL\x00VFATAL\x00C53300\x00Msorry, too many clients already\x00\x00"
	const length = len(fields) + 4 // its own four bytes count
	return append([]byte{'E', 0, 0, 0, byte(length)}, fields...)
}
