// Package ratelimit counts requests in fixed windows that any number of gateways share through Redis.
//
// Guarantees:
//
//   - In one window exactly the limit is allowed, at any pace and over any number of gateways; Remaining counts down
//     limit−1, limit−2 … 0.
//   - Windows follow Redis's clock, so gateways with different clocks agree on them. Windows of different ids begin
//     at different seconds.
//   - A window that is known to be empty is refused without a call to Redis.
//   - Requests that arrive while a flush runs share the next one: those of one id share a script call, all script
//     calls share a pipeline. An idle batcher flushes immediately.
//   - A command that may have reached Redis is not sent again: no request is counted twice.
//   - A slow or unreachable Redis delays a request by at most [Timeout]. After three failed flushes a circuit breaker
//     opens, and only one request a second waits. Then [Options] decide: the local fallback, or [ErrUnavailable].
//   - One gateway never allows more than the limit in a window, whatever Redis does, except with [DownAllow].
//
// Units: limits and remaining counts are requests; windows are whole seconds.
//
// The counter is redis_rate's GCRA script, parameterized so that it regains no request within a window: see
// [Quota.limit].
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

// Quota is the number of requests allowed per window.
type Quota struct {
	// Limit is the number of requests, at least 1.
	Limit int
	// Window is the length of the window in whole seconds, at least 1 s.
	Window time.Duration
}

// Source is where a request was decided.
type Source string

const (
	// Redis is the shared window in Redis.
	Redis Source = "redis"
	// Memory is this gateway, where the window is known to be empty.
	Memory Source = "memory"
	// Local is a window of this gateway alone, for TakeLocal and for the local fallback.
	Local Source = "local"
	// None means that the request was not decided, because of an error or because its context ended.
	None Source = "none"
)

// Result is the state of a window after a [Limiter.Take] or [Limiter.Peek].
type Result struct {
	// Quota is the window's.
	Quota Quota
	// Allowed reports whether the request is allowed; after a Peek, whether a request would be.
	Allowed bool
	// Remaining is the number of requests left in the window, never negative.
	Remaining int
	// Reset is when the next window begins, a whole second of Redis's clock.
	Reset time.Time
	// Now is Redis's time at the call, as estimated by the gateway.
	Now time.Time
	// Source is where the request was decided.
	Source Source
}

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

// New returns a Limiter on client, which [NewClient] made, with the clock of this machine. It does not connect.
func New(client redis.UniversalClient, options Options, now func() time.Time) *Limiter {
	clock, memory := &clock{local: now}, newMemory(memorySize)
	return &Limiter{options: options, clock: clock, memory: memory, batcher: newBatcher(client, clock, memory)}
}

// Close frees what the Limiter holds.
func (l *Limiter) Close() { l.batcher.breaker.close() }

// Take counts one request of id and reports whether it is allowed. A refused request costs nothing. With an
// [ErrUnavailable], the result is that of an unused window except that it is not Allowed. If ctx ends first, the
// error is ctx's; the request is counted nevertheless.
func (l *Limiter) Take(ctx context.Context, id string, quota Quota) (Result, error) {
	arrived, now := time.Now(), l.clock.now()
	w := windowAt(now, id, quota.Window)
	result := Result{Quota: quota, Remaining: quota.Limit, Reset: w.end(), Now: now, Source: Redis}
	known, breaker := l.memory.get(id, w), l.batcher.breaker
	if known.isEmpty(quota.Limit) && (l.options.Down != DownAllow || !breaker.isOpen()) {
		result.Remaining, result.Source = 0, Memory
		return result, nil
	}
	if !breaker.allow() {
		return l.decideFallback(result, id, w, errCircuitOpen)
	}
	own, err := l.batcher.count(ctx, callKey{id, quota.Window, quota.Limit}, arrived)
	switch {
	case errors.Is(err, errCallerGone):
		result.Source = None
		return result, context.Cause(ctx)
	case err != nil:
		return l.decideFallback(result, id, w, err)
	}
	result.Allowed, result.Remaining = own.outcome()
	result.Reset, result.Now = own.window.end(), own.now
	return result, nil
}

// Peek reports what this gateway knows of id's window, without counting and without a call: what was left when it last
// counted a request, or all. It never fails.
func (l *Limiter) Peek(_ context.Context, id string, quota Quota) (Result, error) {
	now := l.clock.now()
	w := windowAt(now, id, quota.Window)
	known := l.memory.get(id, w)
	left := 0
	if !known.isEmpty(quota.Limit) {
		left = quota.Limit - max(known.used, known.granted)
	}
	return Result{Quota: quota, Allowed: left > 0, Remaining: max(left, 0), Reset: w.end(), Now: now, Source: Memory}, nil
}

// decideFallback decides a request without Redis, which failed with cause.
func (l *Limiter) decideFallback(result Result, id string, w window, cause error) (Result, error) {
	if l.options.Down == DownDeny {
		result.Source = None
		return result, fmt.Errorf("%w: %w", ErrUnavailable, cause)
	}
	result.Source = Local
	limit, gateways := result.Quota.Limit, max(l.options.Replicas, 1)
	share := (limit + gateways - 1) / gateways
	l.memory.update(id, w, func(known *tally) {
		left := max(min(min(share, limit-known.used)-known.fallback, limit-known.granted), 0)
		if result.Allowed = left > 0 || l.options.Down == DownAllow; result.Allowed {
			left = max(left-1, 0)
			known.granted++
			known.fallback++
		}
		result.Remaining = left
	})
	return result, nil
}

// TakeLocal is [Limiter.Take] for a window of this gateway alone. It makes no call and never fails. Memory is bounded
// as for all windows.
func (l *Limiter) TakeLocal(_ context.Context, id string, quota Quota) (Result, error) {
	now := l.clock.now()
	w := windowAt(now, id, quota.Window)
	result := Result{Quota: quota, Reset: w.end(), Now: now, Source: Local}
	l.memory.update(id, w, func(known *tally) {
		if result.Allowed = known.granted < quota.Limit; result.Allowed {
			known.granted++
		}
		result.Remaining = quota.Limit - known.granted
	})
	return result, nil
}
