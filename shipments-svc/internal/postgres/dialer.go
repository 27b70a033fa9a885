package postgres

import (
	"context"
	"net"
	"time"
)

// Budget is how long one request's whole database work may take, and
// exchange how long any single answer of Postgres may be awaited. A request
// that begins its last exchange just before the budget ends is still over
// within Budget + exchange, under two seconds.
//
// The second bound is needed because lib/pq reads from its connection without
// a deadline: when Postgres vanishes without a reset (a dead host, a cut
// cable), ending the context does not wake that read.
const (
	Budget   = 1 * time.Second
	exchange = 900 * time.Millisecond
)

// dialer opens connections whose every read and write has a deadline.
type dialer struct {
	net.Dialer

	patience time.Duration
}

// Dial implements pq.Dialer.
func (d dialer) Dial(network, address string) (net.Conn, error) {
	return d.DialContext(context.Background(), network, address)
}

// DialTimeout implements pq.Dialer.
func (d dialer) DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return d.DialContext(ctx, network, address)
}

// DialContext implements pq.DialerContext.
func (d dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.patience)
	defer cancel()
	c, err := d.Dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return conn{c, d.patience}, nil
}

// conn sets a fresh deadline before each read and each write. An idle
// connection is never read, so it does not age.
type conn struct {
	net.Conn

	patience time.Duration
}

func (c conn) Read(b []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.patience)); err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
}

func (c conn) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.patience)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}
