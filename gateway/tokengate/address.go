package tokengate

import (
	"context"
	"errors"
	"net/netip"

	"github.com/quayside/quayside/gateway/internal/introspect"
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

// countAddress calls take for each window of that policy that addr is counted in, until one is empty or take fails.
// It returns the window to report: the one that refuses, or else the one with the least left.
func countAddress(
	ctx context.Context, policy string, addr netip.Addr, quota ratelimit.Quota,
	take func(context.Context, string, ratelimit.Quota) (ratelimit.Result, error),
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

// reserveAddress reserves the introspection of an unknown token in the windows of caller's address, which are charged
// only if the token proves invalid. At most as many introspections of one address are under way as are left in its
// windows, so that tokens sent all at once do not all reach the tokens service. Others wait for up to
// [introspect.Timeout]. Without a refusal, release must be called after the request was charged, or is known not to be.
func (g *Gate) reserveAddress(ctx context.Context, caller netip.Addr) (release func(), v verdict) {
	waiting, cancel := context.WithTimeout(ctx, introspect.Timeout)
	defer cancel()
	var held []func()
	release = func() {
		for _, one := range held {
			one()
		}
	}
	for _, count := range addressCounts(addressWindow, caller, addressQuota) {
		one, err := g.reserved.reserve(waiting, count.id, func() (int, error) {
			result, err := g.windows.Peek(ctx, count.id, count.quota)
			v.window = windowState{addressWindow, result}
			if err == nil && result.Allowed {
				return max(result.Remaining, 1), nil // nothing remains and yet it is allowed: redis_down allow
			}
			return 0, err
		})
		switch {
		case err == nil:
			held = append(held, one)
			continue
		case errors.Is(err, errNoneLeft):
			v.refused = rateLimited.until(v.window)
		case errors.Is(err, ratelimit.ErrUnavailable):
			v.refused = &limiterUnavailable
		default:
			v.refused = &authUnavailable
			v.window, _ = g.peekAddress(ctx, caller)
		}
		release()
		return nil, v
	}
	return release, verdict{}
}
