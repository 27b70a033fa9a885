// Package address groups client addresses by who has them, so that each client counts once however many addresses its
// provider gives it.
package address

import (
	"net/netip"
	"strings"
)

// Canonical returns addr in the form in which addresses are compared: IPv4 never mapped into IPv6, and without a zone.
func Canonical(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }

// Network returns the network of the client with an address: the address, or the /64 of an IPv6 address, the smallest
// network that a provider assigns to a customer.
func Network(addr netip.Addr) netip.Prefix { return prefix(addr, 64) }

// Site returns the largest network that many providers assign to one customer: the address, or the /48 of an IPv6
// address.
func Site(addr netip.Addr) netip.Prefix { return prefix(addr, 48) }

// Loopback reports whether a host of a URL is this machine.
func Loopback(host string) bool {
	addr, _ := netip.ParseAddr(host) // the zero Addr is not
	return addr.IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// prefix returns the zero Prefix for the zero Addr.
func prefix(addr netip.Addr, bits int) netip.Prefix {
	addr = Canonical(addr)
	if addr.Is4() {
		bits = addr.BitLen()
	}
	found, _ := addr.Prefix(min(addr.BitLen(), bits))
	return found
}
