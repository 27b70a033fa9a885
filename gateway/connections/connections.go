// Package connections is the Caddy module caddy.listeners.connections: bounds of the number of connections, in total
// and for each address. A connection beyond a bound is closed at once.
package connections

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/quayside/quayside/gateway/internal/inuse"
)

func init() { caddy.RegisterModule(new(Wrapper)) }

// Wrapper is a listener wrapper that bounds connections of TCP.
type Wrapper struct {
	// Total is how many connections a listener has at most.
	Total int `json:"total"`
	// PerAddress is how many of them one IPv4 address, or one /64 of IPv6, has at most.
	PerAddress int `json:"per_address"`
	// Except are addresses and ranges, such as those of load balancers, that PerAddress does not apply to.
	Except []string `json:"except,omitempty"`

	except []netip.Prefix
}

// CaddyModule returns the Caddy module information.
func (*Wrapper) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "caddy.listeners.connections", New: func() caddy.Module { return new(Wrapper) }}
}

// Provision reads Except.
func (w *Wrapper) Provision(caddy.Context) error {
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

// WrapListener implements caddy.ListenerWrapper.
func (w *Wrapper) WrapListener(inner net.Listener) net.Listener {
	return &listener{Listener: inner, bounds: w}
}

// UnmarshalCaddyfile sets up the wrapper from Caddyfile tokens. Syntax:
//
//	connections <total> <per address> [<excepted range...>]
func (w *Wrapper) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the name of the module
	for _, number := range []*int{&w.Total, &w.PerAddress} {
		if !d.NextArg() {
			return d.ArgErr()
		}
		n, err := strconv.Atoi(d.Val())
		if err != nil || n < 1 {
			return d.Errf("%s is not a whole number from 1", d.Val())
		}
		*number = n
	}
	w.Except = d.RemainingArgs()
	if d.NextBlock(0) {
		return d.ArgErr()
	}
	return nil
}

// listener counts its connections.
type listener struct {
	net.Listener

	bounds *Wrapper
	open   inuse.Counter
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		tcp, ok := accepted.(*net.TCPConn)
		if !ok {
			return accepted, nil
		}
		remote, _ := netip.ParseAddrPort(tcp.RemoteAddr().String())
		client, mostOfOne := inuse.ClientAt(remote.Addr()), l.bounds.PerAddress
		contains := func(p netip.Prefix) bool { return p.Contains(client.Addr()) }
		if slices.ContainsFunc(l.bounds.except, contains) {
			mostOfOne = l.bounds.Total
		}
		if l.open.Enter(client, l.bounds.Total, mostOfOne) {
			return &conn{TCPConn: tcp, leave: sync.OnceFunc(func() { l.open.Leave(client) })}, nil
		}
		_ = tcp.Close()
	}
}

// conn is a connection that is counted until it is closed.
type conn struct {
	*net.TCPConn

	leave func()
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.leave()
	return c.TCPConn.Close()
}

// Interface guards
var (
	_ caddy.Provisioner     = (*Wrapper)(nil)
	_ caddy.ListenerWrapper = (*Wrapper)(nil)
	_ caddyfile.Unmarshaler = (*Wrapper)(nil)
)
