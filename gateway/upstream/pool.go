package upstream

import (
	"context"
	"net"
	"slices"
	"sync"
	"time"
)

// dialer makes connections to a service.
type dialer func(ctx context.Context, hostPort string) (*net.TCPConn, error)

// pool keeps the idle connections of an address.
type pool struct {
	mu     sync.Mutex
	idle   []*clientConn // that used last at the end
	closed bool
}

// take returns the connection that was used last, or a new one when fresh or there is none. Its deadline is set. A connection that was
// closed while it was idle, or on which bytes came that nobody asked for, is not used again.
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
	conn, err := dial(ctx, hostPort)
	if err != nil {
		return nil, err
	}
	w, err := newClientConn(conn)
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

// put keeps w for the next who takes one.
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

// expire closes the connections that nobody has used since then.
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

// close closes all connections, and those in use when they are put back.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.expire(time.Now())
}
