// Package clients shares what clients without an identity have in use at once, such as connections, by their addresses.
package clients

import (
	"context"
	"math"
	"net/netip"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/limit"
	"github.com/quayside/quayside/gateway/servicekit/limit/address"
)

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
	leaveNetwork, err := s.networks.Acquire(context.Background(), address.Network(addr), 1)
	if err != nil {
		return leaveNetwork, err
	}
	leaveSite, err := s.sites.Acquire(context.Background(), address.Site(addr), 1)
	if err != nil {
		leaveNetwork()
		return leaveSite, err
	}
	leave, err := s.acquire(address.Site(addr), giveWay)
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
