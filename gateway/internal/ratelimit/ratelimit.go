// Package ratelimit counts requests in fixed windows that any number of gateways share through Redis.
//
// Its guarantees:
//
//   - In one window exactly the limit passes, at any pace and over any number of gateways; what remains
//     counts down limit−1, limit−2 … 0.
//   - The windows are those of Redis's clock, so gateways whose own clocks differ agree on them.
//   - The windows of different ids begin at different seconds, so that they do not all empty at once.
//   - A window that is known to be empty is not asked about again.
//   - Requests that come while Redis is being asked share the next round trip, those of one id one script
//     call; each is told another number of remaining requests. One that finds nothing under way, and nothing a
//     moment ago, goes at once.
//   - Requests that need no exact count, as [Limiter.TakeLate] says, hardly ever wait for Redis.
//   - What may have reached Redis is not sent again: no request is counted twice.
//   - Redis being slow, hung or gone costs a request at most [Timeout], and nothing once it has failed
//     three times. Then each gateway decides alone, as [Options] say, or the error is [ErrUnavailable].
//   - One gateway never lets more than the limit through in a window, whatever Redis does, unless its
//     options say [DownAllow]. What it let through alone is counted in Redis when that is back.
//
// The counter is redis_rate's GCRA script, used so that nothing flows back within a window: see
// [Quota.limit].
package ratelimit

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"
)

const (
	// Timeout bounds one [Limiter.Take] or [Limiter.Peek].
	Timeout = 60 * time.Millisecond
	// tripTimeout bounds one round trip to Redis, connecting included. Some requests wait for the end of
	// the one before theirs.
	flushTimeout = 50 * time.Millisecond
)

// ErrUnavailable says that Redis did not answer in time. Nothing follows from it about the window, and a
// request may or may not have been counted.
var ErrUnavailable = errors.New("rate limiter unavailable")

// Quota is how many requests may be made per window.
type Quota struct {
	// Limit is the number of requests, at least 1.
	Limit int
	// Window is the length of the window in whole seconds, at least 1 s.
	Window time.Duration
}

// Source is who decided about a request.
type Source string

const (
	// Redis counted it.
	Redis Source = "redis"
	// Memory of this gateway, which knows that the window is empty.
	Memory Source = "memory"
	// Late is this gateway, which tells Redis afterwards.
	WriteBehind Source = "late"
	// Local is this gateway's window of its own while Redis cannot be asked.
	Local Source = "local"
	// Nobody could, or did before the caller left.
	None Source = "nobody"
)

// Result is the state of one window after a [Limiter.Take] or [Limiter.Peek].
type Result struct {
	// Quota is what the window allows.
	Quota Quota
	// Allowed tells whether the request passes. For a Peek: whether a request would.
	Allowed bool
	// Remaining is the number of requests left in the window, never negative.
	Remaining int
	// Reset is when the next window begins, a whole second of Redis's clock.
	Reset time.Time
	// Now is Redis's time at the call, by the last reading of it.
	Now time.Time
	// Source is who decided.
	Source Source
}

// Limiter counts. It is safe for concurrent use; make it with [New].
type Limiter struct {
	options Options
	clock   *clock
	memory  *memory
	batcher *batcher
	breaker *circuitBreaker
	stateLog *stateLog
}

// New returns a Limiter on the Redis that client talks to, which [NewClient] made. It does not connect.
func New(client *redis.Client, options Options) *Limiter {
	l := &Limiter{options: options.withDefaults(), memory: newMemory(memorySize), stateLog: newStateLog()}
	l.clock = &clock{client: client, timeout: flushTimeout, onSkew: l.stateLog.clockSkewed}
	l.batcher = newBatcher(client, l.clock, l.memory)
	l.breaker = newCircuitBreaker(l.batcher.reconcile, l.stateLog.outage.Note)
	l.clock.onError, l.batcher.breaker = l.breaker.record, l.breaker
	return l
}

// LogTo makes l write the changes of its state to logger from now on.
func (l *Limiter) SetLogger(logger *zap.Logger) { l.stateLog.logger.Store(logger) }

// Close ends what l does by itself.
func (l *Limiter) Close() { l.breaker.close() }

// Take counts one request of id and reports whether it passes. A request that does not pass costs
// nothing. With an [ErrUnavailable], the result is computed as if nothing had been spent: it is not Allowed
// but has the right Reset. So it is with ctx's own error, when that ends first; the request is counted all
// the same, since it was made.
func (l *Limiter) Take(ctx context.Context, id string, quota Quota) (Result, error) {
	return l.count(ctx, id, quota, 1)
}

// Peek reports the state of id's window and counts nothing. Its errors are those of [Limiter.Take].
func (l *Limiter) Peek(ctx context.Context, id string, quota Quota) (Result, error) {
	result, err := l.count(ctx, id, quota, 0)
	if result.Source == Redis {
		result.Allowed = result.Remaining > 0
	}
	return result, err
}

// Spent is [Limiter.Take] for a window that is known to be empty; ok tells whether it is. It asks nobody.
func (l *Limiter) Exhausted(id string, quota Quota) (result Result, ok bool) {
	arrived := time.Now()
	var fault error
	switch {
	case l.breaker.isOpen():
		fault = errCircuitOpen
	case !l.clock.isFresh(arrived):
		return Result{}, false
	}
	now := l.clock.estimate(arrived)
	window := windowAt(now, id, quota.Window)
	if !l.isExhausted(l.memory.get(id, window), quota.Limit, fault) {
		return Result{}, false
	}
	return Result{Quota: quota, Reset: window.end(), Now: now, Source: Memory}, true
}

func (l *Limiter) count(ctx context.Context, id string, quota Quota, cost int) (Result, error) {
	arrived := time.Now()
	now, fault := l.clock.estimate(arrived), error(errCircuitOpen)
	if !l.breaker.isOpen() {
		now, fault = l.clock.now(ctx, arrived)
	}
	window := windowAt(now, id, quota.Window)
	result := Result{Quota: quota, Remaining: quota.Limit, Reset: window.end(), Now: now, Source: Redis}

	if l.isExhausted(l.memory.get(id, window), quota.Limit, fault) {
		result.Remaining, result.Source = 0, Memory
		return result, nil
	}
	if fault != nil {
		return l.decideFallback(result, id, window, cost, fault)
	}

	place, err := l.batcher.count(ctx, id, window, quota.Limit, cost, arrived)
	switch {
	case errors.Is(err, errCallerGone):
		result.Source = None
		return result, context.Cause(ctx)
	case err != nil:
		return l.decideFallback(result, id, window, cost, err)
	}
	result.Allowed, result.Remaining = place.outcome()
	return result, nil
}

// refuses reports whether what is known of a window is enough to refuse a request. It is not while Redis,
// which can be asked, has yet to be told of something.
func (l *Limiter) isExhausted(known tally, limit int, fault error) bool {
	if fault == nil {
		return known.isEmpty(limit) && known.unsynced == 0
	}
	return known.isEmpty(limit) && l.options.Down != DownAllow
}
