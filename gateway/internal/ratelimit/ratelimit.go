// Package ratelimit counts requests in fixed windows that any number of gateways share through Redis.
//
// Its guarantees:
//
//   - In one window exactly the limit passes, at any pace and over any number of gateways; what remains
//     counts down limit−1, limit−2 … 0.
//   - The windows are those of Redis's clock, so gateways whose own clocks differ agree on them.
//   - The windows of different ids begin at different seconds, so that they do not all empty at once.
//   - A window that Redis has said is empty is remembered, and Redis is not asked about it again.
//   - Redis being slow, hung or gone costs at most [Timeout] and is [ErrUnavailable].
//
// The counter is redis_rate's GCRA script, used so that nothing flows back within a window: see
// [Quota.limit].
package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
)

// Timeout bounds one [Limiter.Take] or [Limiter.Peek].
const Timeout = 150 * time.Millisecond

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
	// Redis counted it, or was asked to and did not answer.
	Redis Source = "redis"
	// Memory of this gateway, which had been told by Redis that the window is empty.
	Memory Source = "memory"
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
	client *redis.Client
	clock  *clock
	memory *memory
}

// New returns a Limiter on the Redis that client talks to, which [NewClient] made.
func New(client *redis.Client) *Limiter {
	return &Limiter{client: client, clock: newClock(client), memory: newMemory()}
}

// Take counts one request of id and reports whether it passes. A request that does not pass costs
// nothing. With an error, which is an [ErrUnavailable], the result is computed as if nothing had been
// spent: it is not Allowed but has the right Reset.
func (l *Limiter) Take(ctx context.Context, id string, quota Quota) (Result, error) {
	return l.count(ctx, id, quota, 1)
}

// Peek reports the state of id's window and counts nothing. Its errors are those of [Limiter.Take].
func (l *Limiter) Peek(ctx context.Context, id string, quota Quota) (Result, error) {
	result, err := l.count(ctx, id, quota, 0)
	result.Allowed = err == nil && result.Remaining > 0
	return result, err
}

func (l *Limiter) count(ctx context.Context, id string, quota Quota, cost int) (Result, error) {
	// A caller that hangs up does not undo the request that it made, so only the time bounds the call.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), Timeout)
	defer cancel()

	now, err := l.clock.now(ctx)
	window := windowAt(now, id, quota.Window)
	result := Result{Quota: quota, Remaining: quota.Limit, Reset: window.end, Now: now, Source: Redis}
	if err != nil {
		return result, fmt.Errorf("%w: reading the time: %w", ErrUnavailable, err)
	}

	if l.memory.isEmpty(id, window, quota.Limit) {
		result.Remaining, result.Source = 0, Memory
		return result, nil
	}

	counter := redis_rate.NewLimiter(expiringScripter{l.client, window.end.Add(keyGrace)})
	counted, err := counter.AllowN(ctx, window.key(id), quota.limit(), cost)
	if err != nil {
		return result, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	// A Peek of an empty window reports Allowed 0 as well; Peek looks at Remaining instead.
	result.Allowed = counted.Allowed == cost && cost > 0
	result.Remaining = max(counted.Remaining, 0)
	if result.Remaining == 0 {
		l.memory.update(id, window, func(known *tally) { known.empty = max(known.empty, quota.Limit) })
	}
	return result, nil
}
