package ratelimit

import (
	"crypto/rand"
	"testing"
	"time"
)

// WithLongTimeout gives l such long timeouts that a busy machine does not fail tests of counting.
func WithLongTimeout(l *Limiter) *Limiter {
	SetTimeout(l, time.Minute)
	return l
}

// SetTimeout sets the timeouts of l.
func SetTimeout(l *Limiter, timeout time.Duration) {
	l.nodes.timeout, l.nodes.flushTimeout, l.clock.timeout = timeout, timeout, timeout
}

// Queued returns how many requests that take a unit are queued.
func Queued(l *Limiter) int {
	b := l.nodes.single
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, o := range b.queue {
		n += o.requests
	}
	return n
}

// Key returns the key in Redis of id's present window.
func Key(l *Limiter, id string, quota Quota) string {
	return redisPrefix + windowAt(l.clock.estimate(), id, quota.Window).key(id)
}

// CircuitBreakerIsOpen reports whether requests of id's present window are not sent to Redis.
func CircuitBreakerIsOpen(t *testing.T, l *Limiter, id string, quota Quota) bool {
	t.Helper()
	return l.nodes.of(t.Context(), id, windowAt(l.clock.estimate(), id, quota.Window)).breaker.isOpen()
}

// TokenID returns a new token id: all tests count in the same Redis.
func TokenID() string { return "tok_" + rand.Text()[:12] }
