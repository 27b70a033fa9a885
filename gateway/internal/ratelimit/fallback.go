package ratelimit

import (
	"errors"
	"fmt"
	"net"

	"github.com/redis/go-redis/v9"
)

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
	// Replicas is the least number of gateways that DownLocal divides limits by, whatever number is registered: see
	// [Limiter.RegisterReplica]. Default: 1.
	Replicas int
}

// decideFallback decides a request without Redis, which failed with cause.
func (l *Limiter) decideFallback(result Result, id string, w window, cost int, cause error) (Result, error) {
	if l.options.Down == DownDeny {
		result.Source = None
		return result, fmt.Errorf("%w: %w", ErrUnavailable, cause)
	}
	result.Source = Local
	limit := result.Quota.Limit
	gateways := l.replicas.count(l.options.Replicas)
	share := (limit + gateways - 1) / gateways
	l.memory.update(id, w, func(known *tally) {
		left := max(min(share-known.fallback, limit-known.used-known.unsynced, limit-known.granted), 0)
		if result.Allowed = left >= max(cost, 1) || l.options.Down == DownAllow; result.Allowed && cost > 0 {
			left = max(left-cost, 0)
			known.passFallback(limit, cost, !mayBeCounted(cause))
		}
		result.Remaining = left
	})
	return result, nil
}

// mayBeCounted reports whether Redis may have counted a request that failed with err. It has not if the command was
// never sent or if Redis replied with an error.
func mayBeCounted(err error) bool {
	if errors.Is(err, errNotSent) {
		return false
	}
	if _, answered := errors.AsType[redis.Error](err); answered {
		return false
	}
	if failed, ok := errors.AsType[*net.OpError](err); ok {
		return failed.Op != "dial"
	}
	return true
}
