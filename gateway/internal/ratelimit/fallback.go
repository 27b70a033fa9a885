package ratelimit

import (
	"errors"
	"fmt"
	"net"

	"github.com/redis/go-redis/v9"
)

// Down is what becomes of requests while Redis cannot be asked.
type DownPolicy string

const (
	// DownLocal lets each gateway let through its share of the window. It is the default.
	DownLocal DownPolicy = "local"
	// DownDeny lets nothing through: [ErrUnavailable].
	DownDeny DownPolicy = "deny"
	// DownAllow lets everything through.
	DownAllow DownPolicy = "allow"
)

// Options are the settings of a Limiter.
type Options struct {
	// Down is what becomes of requests while Redis cannot be asked. Default: DownLocal.
	Down DownPolicy
	// Replicas is the number of gateways, of whose windows each is a part while Redis cannot be asked.
	// Default: 1.
	Replicas int
}

func (o Options) withDefaults() Options {
	if o.Down == "" {
		o.Down = DownLocal
	}
	o.Replicas = max(o.Replicas, 1)
	return o
}

// decideAlone decides about a request that Redis could not be asked about, because of fault.
func (l *Limiter) decideFallback(result Result, id string, w window, cost int, cause error) (Result, error) {
	if l.options.Down == DownDeny {
		result.Source = None
		return result, fmt.Errorf("%w: %w", ErrUnavailable, cause)
	}
	result.Source = Local
	limit := result.Quota.Limit
	share := (limit + l.options.Replicas - 1) / l.options.Replicas
	l.memory.update(id, w, func(known *tally) {
		left := max(min(share-known.fallback, limit-known.used-known.unsynced, limit-known.granted), 0)
		if result.Allowed = left > 0 || l.options.Down == DownAllow; result.Allowed && cost > 0 {
			left = max(left-cost, 0)
			known.passFallback(limit, cost, !mayBeCounted(cause))
		}
		result.Remaining = left
	})
	return result, nil
}

// mayBeCounted reports whether Redis may have counted what ended with fault. It has not if it was never
// sent, or if Redis has said what it has against it.
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
