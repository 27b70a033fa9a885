package postgres

import (
	"context"
	"net"
	"time"

	"github.com/lib/pq"
)

// RequestTimeout is the time for all database work of one request, and
// AnswerTimeout that for any single answer of Postgres. A request that begins its
// last exchange just before the end is over within RequestTimeout + AnswerTimeout,
// under two seconds.
//
// AnswerTimeout is needed because lib/pq reads from its connection without a
// deadline: if Postgres vanishes without a reset (a dead host, a cut cable), the
// end of the context does not interrupt that read.
const (
	RequestTimeout = 1 * time.Second
	AnswerTimeout  = 900 * time.Millisecond
)

// dialer opens connections whose every read and write has a deadline.
type dialer struct {
	pq.Dialer // nil: lib/pq uses DialContext only

	timeout time.Duration
}

// DialContext implements pq.DialerContext.
func (d dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	c, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return conn{c, d.timeout}, nil
}

// conn sets a fresh deadline before each read and each write. An idle
// connection is never read, so its deadline does not matter.
type conn struct {
	net.Conn

	timeout time.Duration
}

func (c conn) Read(b []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.timeout)); err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
}

func (c conn) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.timeout)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}
