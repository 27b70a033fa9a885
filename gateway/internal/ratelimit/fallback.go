package ratelimit

import "fmt"

// DownPolicy decides requests while Redis is not available.
type DownPolicy string

const (
	// DownLocal is the default, the local fallback: each gateway allows its share of the window, counted in memory:
	// the limit divided by the number of gateways, rounded up.
	DownLocal DownPolicy = "local"
	// DownDeny allows nothing: [ErrUnavailable].
	DownDeny DownPolicy = "deny"
	// DownAllow allows every request.
	DownAllow DownPolicy = "allow"
)

// Options configure a Limiter.
type Options struct {
	// Down decides requests while Redis is not available; "" is DownLocal.
	Down DownPolicy
	// Replicas is the number of gateways that DownLocal divides limits by. Default: 1.
	Replicas int
}

// decideFallback decides a request without Redis, which failed with cause.
func (l *Limiter) decideFallback(result Result, id string, w window, takes bool, cause error) (Result, error) {
	if l.options.Down == DownDeny {
		result.Source = None
		return result, fmt.Errorf("%w: %w", ErrUnavailable, cause)
	}
	result.Source = Local
	limit, gateways := result.Quota.Limit, max(l.options.Replicas, 1)
	share := (limit + gateways - 1) / gateways
	l.memory.update(id, w, func(known *tally) {
		left := max(min(min(share, limit-known.used)-known.fallback, limit-known.granted), 0)
		if result.Allowed = left > 0 || l.options.Down == DownAllow; result.Allowed && takes {
			left = max(left-1, 0)
			known.granted++
			known.fallback++
		}
		result.Remaining = left
	})
	return result, nil
}
