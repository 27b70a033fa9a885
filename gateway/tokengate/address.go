package tokengate

import (
	"context"
	"errors"
	"net/netip"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

// networkFactor is how many times the requests of one /64 may come from a /48, which is what many providers give to
// one customer.
const networkFactor = 4

// addressCount is one of the windows that a request is counted in by its address.
type addressCount struct {
	id    string
	quota ratelimit.Quota
}

// addressCounts returns the windows of that policy that addr is counted in: that of an IPv4 address with quota, or
// those of the /64 of an IPv6 address, the smallest network that a provider assigns to a customer, and of the /48, with
// networkFactor times quota.
func addressCounts(policy string, addr netip.Addr, quota ratelimit.Quota) []addressCount {
	switch {
	case addr.Is4():
		return []addressCount{{policy + ":" + addr.String(), quota}}
	case addr.Is6():
		wide := ratelimit.Quota{Limit: networkFactor * quota.Limit, Window: quota.Window}
		return []addressCount{
			{policy + ":" + netip.PrefixFrom(addr, 64).Masked().String(), quota},
			{policy + ":" + netip.PrefixFrom(addr, 48).Masked().String(), wide},
		}
	default:
		return []addressCount{{policy + ":unknown", quota}}
	}
}

// takeFunc counts a request of an id, as [ratelimit.Limiter.Take] does.
type takeFunc func(ctx context.Context, id string, quota ratelimit.Quota) (ratelimit.Result, error)

// countAddress calls take for each window of that policy that addr is counted in, until one is empty or take fails.
// It returns the window to report: the one that refuses, or else the one with the least left.
func countAddress(
	ctx context.Context, policy string, addr netip.Addr, quota ratelimit.Quota, take takeFunc,
) (windowState, error) {
	var shown windowState
	for i, count := range addressCounts(policy, addr, quota) {
		result, err := take(ctx, count.id, count.quota)
		if i == 0 || err == nil && (!result.Allowed || result.Remaining < shown.Remaining) {
			shown = windowState{policy, result}
		}
		if err != nil || !result.Allowed {
			return shown, err
		}
	}
	return shown, nil
}

// checkAddress refuses the introspection of an unknown token whose address has an empty window. It charges nothing.
func (g *Gate) checkAddress(ctx context.Context, caller netip.Addr) (v verdict) {
	window, err := g.peekAddress(ctx, caller)
	v.window = window
	switch {
	case errors.Is(err, ratelimit.ErrUnavailable):
		v.refused = &limiterUnavailable
	case err != nil: // the client has gone
		v.refused = &authUnavailable
	case !window.Allowed:
		v.refused = rateLimited.until(window)
	}
	return v
}
