package tokengate

import (
	"context"
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
// those of the /64 and the /48 of an IPv6 address, the latter with networkFactor times quota.
func addressCounts(policy string, addr netip.Addr, quota ratelimit.Quota) []addressCount {
	id, network := ratelimit.AddressIDs(policy, addr)
	if network == "" {
		return []addressCount{{id, quota}}
	}
	wide := ratelimit.Quota{Limit: networkFactor * quota.Limit, Window: quota.Window}
	return []addressCount{{id, quota}, {network, wide}}
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

// tooManyFromAddress is the response to a request for something without a token whose window is empty.
func tooManyFromAddress(window windowState) *problem {
	p := rateLimited.saying("There were too many requests from your address.")
	p.retryAfter = window.secondsLeft()
	return &p
}
