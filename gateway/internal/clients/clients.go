// Package clients shares what clients without an identity have in use at once, such as connections, by their addresses.
package clients

import (
	"context"
	"math"
	"net/netip"
	"time"

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

// NewShares returns Shares of total, of which one network uses at most each, and one site twice that. Where total is in
// use, an acquisition waits for that long until a site that uses more gives way.
func NewShares(total, each int, wait time.Duration) *Shares {
	of := func(most int) *limit.Shares[netip.Prefix] {
		return limit.New[netip.Prefix](limit.Config{Total: math.MaxInt64, Each: int64(most)})
	}
	all := limit.Config{Total: int64(total), Each: int64(total), Wait: wait}
	if wait > 0 {
		all.Queue = each
	}
	return &Shares{networks: of(each), sites: of(2 * each), all: limit.New[netip.Prefix](all)}
}

// Acquire acquires one of Shares for the client with an address until release is called, of which only the first call
// has an effect. It returns limit.ErrShare or limit.ErrTotal. giveWay is called, in a goroutine, when a client of
// another site that uses less waits: it ends the use soon. Without it, the use does not give way.
func (s *Shares) Acquire(addr netip.Addr, giveWay func()) (release func(), err error) {
	leaveNetwork, err := s.networks.Acquire(context.Background(), Network(addr), 1)
	if err != nil {
		return leaveNetwork, err
	}
	leaveSite, err := s.sites.Acquire(context.Background(), Site(addr), 1)
	if err != nil {
		leaveNetwork()
		return leaveSite, err
	}
	leave, err := s.acquire(Site(addr), giveWay)
	if err != nil {
		leaveNetwork()
		leaveSite()
		return leave, err
	}
	return func() { leave(); leaveSite(); leaveNetwork() }, nil
}

// AcquireForMany is Acquire for an address that many clients share, such as a load balancer's, which has no bound of
// its own and gives no way.
func (s *Shares) AcquireForMany() (release func(), err error) { return s.acquire(netip.Prefix{}, nil) }

func (s *Shares) acquire(site netip.Prefix, giveWay func()) (release func(), err error) {
	if release, err = s.all.AcquireRevocable(context.Background(), site, 1, giveWay); err != nil {
		err = limit.ErrTotal // the share of one is everything
	}
	return release, err
}
