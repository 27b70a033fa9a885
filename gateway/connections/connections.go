// Package connections is the Caddy module caddy.listeners.token_gate_connections: bounds of the number of connections,
// in total and for each client. A connection beyond a bound is closed at once, and counted in a metric. The wrapper
// comes before that of TLS, so that a bound also holds for connections whose handshake is not complete.
package connections

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/quayside/quayside/gateway/internal/caddy/directive"
	"github.com/quayside/quayside/gateway/internal/caddy/gatelog"
	"github.com/quayside/quayside/gateway/internal/caddy/metrics"
	"github.com/quayside/quayside/gateway/internal/clients"
	"github.com/quayside/quayside/gateway/servicekit/limit"
	"github.com/quayside/quayside/gateway/servicekit/limit/address"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/outage"
)

func init() { caddy.RegisterModule(new(Wrapper)) }

var (
	refusedTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "quayside", Subsystem: "gateway", Name: "connections_refused_total",
		Help: "Connections closed at once, by the bound that was reached: total, or client (an address or a network).",
	}, []string{"bound"})
	journal = outage.New(gatelog.Slog, "accepting connections")
)

// Wrapper is a listener wrapper that bounds connections.
type Wrapper struct {
	// Total is how many connections a listener has at most.
	Total int `json:"total"`
	// PerAddress is how many of them one IPv4 address, or one /64 of IPv6, has at most. A /48 has at most twice as many.
	PerAddress int `json:"per_address"`
	// Except are addresses and ranges, such as those of load balancers, that PerAddress does not apply to.
	Except []string `json:"except,omitempty"`

	except []netip.Prefix
}

// CaddyModule returns the Caddy module information.
func (*Wrapper) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "caddy.listeners.token_gate_connections", New: func() caddy.Module { return new(Wrapper) }}
}

// Provision reads Except.
func (w *Wrapper) Provision(ctx caddy.Context) error {
	if err := metrics.Register(ctx.GetMetricsRegistry(), refusedTotal); err != nil {
		return err
	}
	for _, text := range w.Except {
		ranges := []string{text}
		if text == "private_ranges" {
			ranges = caddyhttp.PrivateRangesCIDR()
		}
		for _, one := range ranges {
			prefix, err := caddyhttp.CIDRExpressionToPrefix(one)
			if err != nil {
				return fmt.Errorf("connections: %w", err)
			}
			w.except = append(w.except, prefix)
		}
	}
	return nil
}

// Validate implements caddy.Validator.
func (w *Wrapper) Validate() error {
	if w.Total < 1 || w.PerAddress < 1 {
		return errors.New("connections: total and per_address must be whole numbers from 1")
	}
	return nil
}

// WrapListener implements caddy.ListenerWrapper.
func (w *Wrapper) WrapListener(inner net.Listener) net.Listener {
	return &listener{Listener: inner, bounds: w, open: clients.NewShares(w.Total, w.PerAddress, 0)}
}

// UnmarshalCaddyfile sets up the wrapper from Caddyfile tokens. Syntax:
//
//	token_gate_connections <total> <per address> [<excepted range...>]
func (w *Wrapper) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the name of the module
	if err := directive.Read(d, &w.Total, &w.PerAddress, &w.Except); err != nil || !d.NextBlock(0) {
		return err
	}
	return d.ArgErr()
}

// listener counts its connections.
type listener struct {
	net.Listener

	bounds *Wrapper
	open   *clients.Shares
}

// errNotTCP refuses what cannot be counted without hiding its methods from the server.
var errNotTCP = errors.New("not TCP: in listener_wrappers, token_gate_connections comes before tls")

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		tcp, ok := accepted.(*net.TCPConn)
		leave, err := func() {}, errNotTCP
		if ok {
			leave, err = l.acquire(tcp.RemoteAddr())
		}
		journal.Note(err)
		if err == nil {
			return &conn{TCPConn: tcp, leave: leave}, nil
		}
		bound := "total"
		if errors.Is(err, limit.ErrShare) {
			bound = "client"
		}
		refusedTotal.WithLabelValues(bound).Inc()
		_ = accepted.Close()
	}
}

func (l *listener) acquire(from net.Addr) (leave func(), err error) {
	remote, _ := netip.ParseAddrPort(from.String())
	addr := address.Canonical(remote.Addr())
	if slices.ContainsFunc(l.bounds.except, func(p netip.Prefix) bool { return p.Contains(addr) }) {
		return l.open.AcquireForMany()
	}
	return l.open.Acquire(addr, nil)
}

// conn is a connection that is counted until it is closed.
type conn struct {
	*net.TCPConn

	leave func() // the first call counts
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.leave()
	return c.TCPConn.Close()
}

// Interface guards
var (
	_ caddy.Provisioner     = (*Wrapper)(nil)
	_ caddy.Validator       = (*Wrapper)(nil)
	_ caddy.ListenerWrapper = (*Wrapper)(nil)
	_ caddyfile.Unmarshaler = (*Wrapper)(nil)
)
