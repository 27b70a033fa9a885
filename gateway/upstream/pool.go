package upstream

import (
	"context"
	"net"
	"slices"
	"sync"
	"time"
)

// dialer connects to an address of a service.
type dialer func(ctx context.Context, network, hostPort string) (net.Conn, error)

// pool holds the idle connections of an address.
type pool struct {
	mu     sync.Mutex
	idle   []*clientConn // most recently used last
	closed bool
}

// take returns the most recently used idle connection, or a new one if fresh is set or there is none, with its
// deadline set. Connections that were closed or received bytes while idle are discarded.
func (p *pool) take(ctx context.Context, fresh bool, dial dialer, hostPort string, timeout time.Duration) (*clientConn, error) {
	for !fresh {
		w := p.last()
		if w == nil {
			break
		}
		if w.SetDeadline(time.Now().Add(timeout)) == nil && w.isIdle() {
			w.reused = true
			return w, nil
		}
		_ = w.Close()
	}
	conn, err := dial(ctx, "tcp", hostPort)
	if err != nil {
		return nil, err
	}
	w, err := newClientConn(conn.(*net.TCPConn))
	if err != nil {
		return nil, err
	}
	return w, w.SetDeadline(time.Now().Add(timeout))
}

func (p *pool) last() *clientConn {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	if last < 0 {
		return nil
	}
	w := p.idle[last]
	p.idle[last] = nil
	p.idle = p.idle[:last]
	return w
}

// put returns w to the pool.
func (p *pool) put(w *clientConn) {
	w.idleSince = time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.idle) == idlePerHost {
		_ = w.Close()
		return
	}
	p.idle = append(p.idle, w)
}

// expire closes connections that were idle since then.
func (p *pool) expire(then time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for n < len(p.idle) && p.idle[n].idleSince.Before(then) {
		_ = p.idle[n].Close()
		n++
	}
	p.idle = slices.Delete(p.idle, 0, n)
}

// close closes all connections; those in use are closed by put.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.expire(time.Now())
}
