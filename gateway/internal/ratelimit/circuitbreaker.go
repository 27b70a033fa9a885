package ratelimit

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxFailures is how many flushes in a row must fail for the circuit breaker to open.
	maxFailures = 3
	// retryInterval is the time between two calls while the circuit breaker is open.
	retryInterval = time.Second
)

// circuitBreaker stops calls to Redis after errors. While it is open, one call in each retryInterval finds out whether
// Redis is available again, and all other requests do not wait for Redis.
type circuitBreaker struct {
	onChange func(cause error) // called at each change in order: the error that opened it, or nil when it closes

	open     atomic.Bool
	mu       sync.Mutex
	failures int
	retryAt  time.Time
}

func (b *circuitBreaker) isOpen() bool { return b.open.Load() }

// allow reports whether a call may be made, whose result must be recorded.
func (b *circuitBreaker) allow() bool {
	if !b.open.Load() {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if now.Before(b.retryAt) {
		return false
	}
	b.retryAt = now.Add(retryInterval)
	return true
}

// record records the result of a call.
func (b *circuitBreaker) record(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil {
		b.failures = 0
		if b.open.Swap(false) {
			circuitBreakersOpen.Dec()
			b.onChange(nil)
		}
		return
	}
	if b.failures++; b.failures == maxFailures {
		b.retryAt = time.Now().Add(retryInterval)
		b.open.Store(true)
		circuitBreakersOpen.Inc()
		b.onChange(err)
	}
}

// close removes b from the metric.
func (b *circuitBreaker) close() {
	if b.open.Swap(false) {
		circuitBreakersOpen.Dec()
	}
}
