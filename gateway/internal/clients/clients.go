// Package clients shares what clients without an identity have in use at once, such as connections, by their addresses.
package clients

import (
	"context"
	"net/netip"

	"github.com/quayside/quayside/gateway/servicekit/limit"
)

// Network returns the network of the client with an address: the address, or the /64 of an IPv6 address, the smallest
// network that a provider assigns to a customer.
func Network(addr netip.Addr) netip.Prefix { return prefix(addr, 64) }

// Site returns the largest network that many providers assign to one customer: the address, or the /48 of an IPv6
// address.
func Site(addr netip.Addr) netip.Prefix { return prefix(addr, 48) }

// prefix returns the zero Prefix for the zero Addr.
func prefix(addr netip.Addr, bits int) netip.Prefix {
	addr = addr.Unmap().WithZone("")
	if addr.Is4() {
		bits = addr.BitLen()
	}
	found, _ := addr.Prefix(min(addr.BitLen(), bits))
	return found
}

// Shares is something that clients share. It is safe for concurrent use.
type Shares struct{ networks, sites, all *limit.Shares[netip.Prefix] }

// NewShares returns Shares of total, of which one network uses at most each, and one site twice that.
func NewShares(total, each int) *Shares {
	within := func(most int) *limit.Shares[netip.Prefix] {
		return limit.New[netip.Prefix](limit.Config{Total: int64(total), Each: int64(most)})
	}
	return &Shares{networks: within(each), sites: within(2 * each), all: within(total)}
}

// Acquire acquires one of Shares for the client with an address until release is called, of which only the first call
// has an effect. It returns limit.ErrShare or limit.ErrTotal, and does not wait.
func (s *Shares) Acquire(addr netip.Addr) (release func(), err error) {
	leaveNetwork, err := s.networks.Acquire(context.Background(), Network(addr), 1)
	if err != nil {
		return leaveNetwork, err
	}
	leaveSite, err := s.sites.Acquire(context.Background(), Site(addr), 1)
	if err != nil {
		leaveNetwork()
		return leaveSite, err
	}
	leave, err := s.AcquireForMany()
	if err != nil {
		leaveNetwork()
		leaveSite()
		return leave, err
	}
	return func() { leave(); leaveSite(); leaveNetwork() }, nil
}

// AcquireForMany is Acquire for an address that many clients share, such as a load balancer's, which has no bound of
// its own.
func (s *Shares) AcquireForMany() (release func(), err error) {
	if release, err = s.all.Acquire(context.Background(), netip.Prefix{}, 1); err != nil {
		err = limit.ErrTotal // all have one key, whose share is everything
	}
	return release, err
}
