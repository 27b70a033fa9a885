// Package ratelimit counts requests in fixed windows that any number of gateways share through Redis.
//
// Guarantees:
//
//   - In one window exactly the limit is allowed, at any pace and over any number of gateways; Remaining counts down
//     limit−1, limit−2 … 0.
//   - Windows follow Redis's clock, so gateways with different clocks agree on them. Windows of different ids begin
//     at different seconds.
//   - A window that is known to be empty is refused without a call to Redis.
//   - Requests that arrive while a flush runs share the next one: those of one window share a script call, all script
//     calls share a pipeline. An idle batcher flushes immediately.
//   - A command that may have reached Redis is not sent again: no request is counted twice.
//   - A slow or unreachable Redis delays a request by at most [Timeout]. After three failed flushes a circuit breaker
//     opens, and only one request a second waits. Then [Options] decide: the local fallback, or [ErrUnavailable].
//   - One gateway never allows more than the limit in a window, whatever Redis does, except with [DownAllow].
//
// Units: limits and remaining counts are requests; windows are whole seconds.
package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// Timeout bounds one [Limiter.Take]. It is a variable for tests on busy machines.
var Timeout = 60 * time.Millisecond

// flushTimeout bounds one round trip to Redis, connecting included. It is shorter than Timeout because a request may
// first wait for the end of the previous flush.
func flushTimeout() time.Duration { return Timeout * 5 / 6 }

// ErrUnavailable says that Redis did not reply in time. The state of the window is unknown, and the request may or
// may not have been counted.
var ErrUnavailable = errors.New("rate limiter unavailable")

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

// Limiter counts requests. It is safe for concurrent use. Create it with [New].
type Limiter struct {
	options Options
	clock   *clock
	memory  *memory
	batcher *batcher
}

// New returns a Limiter on client, which [NewClient] made and the Limiter closes, with the clock of this machine. It
// does not connect. Without a client all windows are Local.
func New(client redis.UniversalClient, options Options, now func() time.Time) *Limiter {
	clock, memory := &clock{local: now}, newMemory(memorySize)
	return &Limiter{options: options, clock: clock, memory: memory, batcher: newBatcher(client, clock, memory)}
}

// Close frees what the Limiter holds.
func (l *Limiter) Close() {
	l.batcher.breaker.close()
	if l.batcher.client != nil {
		_ = l.batcher.client.Close()
	}
}

// Take counts one request in w and reports whether it is allowed. A refused request costs nothing. With an
// [ErrUnavailable], the state is that of an unused window except that it is not Allowed. If ctx ends first, the error
// is ctx's; the request is counted nevertheless. A Local window never fails.
func (l *Limiter) Take(ctx context.Context, w Window) (State, error) {
	arrived, now := time.Now(), l.clock.now()
	s := State{Window: w, Remaining: w.Limit, Reset: w.end(now), Now: now, Source: Redis}
	if w.Local || l.batcher.client == nil {
		return l.takeLocal(s), nil
	}
	known, breaker := l.memory.get(w, s.Reset), l.batcher.breaker
	if known.isEmpty(w.Limit) && (l.options.Down != DownAllow || !breaker.isOpen()) {
		s.Remaining, s.Source = 0, Memory
		return s, nil
	}
	if !breaker.allow() {
		return l.decideFallback(s, errCircuitOpen)
	}
	counted, number, err := l.batcher.count(ctx, w, arrived)
	switch {
	case errors.Is(err, errCallerGone):
		s.Source = None
		return s, context.Cause(ctx)
	case err != nil:
		return l.decideFallback(s, err)
	}
	s.Allowed, s.Remaining = counted.outcome(number)
	s.Reset, s.Now = counted.end, counted.now
	return s, nil
}

// Peek reports what this gateway knows of w, without counting and without a call: what was left when it last counted a
// request, or all.
func (l *Limiter) Peek(w Window) State {
	now := l.clock.now()
	s := State{Window: w, Reset: w.end(now), Now: now, Source: Memory}
	if known := l.memory.get(w, s.Reset); !known.isEmpty(w.Limit) {
		s.Remaining = max(w.Limit-max(known.used, known.granted), 0)
	}
	s.Allowed = s.Remaining > 0
	return s
}

// decideFallback decides a request without Redis, which failed with cause.
func (l *Limiter) decideFallback(s State, cause error) (State, error) {
	if l.options.Down == DownDeny {
		s.Source = None
		return s, fmt.Errorf("%w: %w", ErrUnavailable, cause)
	}
	s.Source = Local
	gateways := max(l.options.Replicas, 1)
	share := (s.Limit + gateways - 1) / gateways
	l.memory.update(s.Window, s.Reset, func(known *tally) {
		left := max(min(min(share, s.Limit-known.used)-known.fallback, s.Limit-known.granted), 0)
		if s.Allowed = left > 0 || l.options.Down == DownAllow; s.Allowed {
			left = max(left-1, 0)
			known.granted++
			known.fallback++
		}
		s.Remaining = left
	})
	return s, nil
}

func (l *Limiter) takeLocal(s State) State {
	s.Source = Local
	l.memory.update(s.Window, s.Reset, func(known *tally) {
		if s.Allowed = known.granted < s.Limit; s.Allowed {
			known.granted++
		}
		s.Remaining = s.Limit - known.granted
	})
	return s
}
