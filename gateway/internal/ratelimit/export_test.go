package ratelimit

import (
	"crypto/rand"
	"time"
)

// WithLongTimeout gives l such long timeouts that a busy machine does not fail tests of counting.
func WithLongTimeout(l *Limiter) *Limiter {
	SetTimeout(l, time.Minute)
	return l
}

// SetTimeout sets the timeouts of l.
func SetTimeout(l *Limiter, timeout time.Duration) {
	l.batcher.timeout, l.batcher.flushTimeout = timeout, timeout
}

// Queued returns how many requests that take a unit are queued.
func Queued(l *Limiter) int {
	b := l.batcher
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, o := range b.queue {
		n += o.requests
	}
	return n
}

// TokenID returns a new token id: all tests count in the same Redis.
func TokenID() string { return "tok_" + rand.Text()[:12] }
