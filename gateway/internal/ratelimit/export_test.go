package ratelimit

import (
	"crypto/rand"
	"time"

	"go.uber.org/zap"
)

// WithLongTimeout gives l such long timeouts that a busy machine does not fail tests of counting.
func WithLongTimeout(l *Limiter) *Limiter {
	SetTimeout(l, time.Minute)
	return l
}

// SetTimeout sets the timeouts of l.
func SetTimeout(l *Limiter, timeout time.Duration) {
	l.batcher.timeout, l.batcher.flushTimeout, l.clock.timeout = timeout, timeout, timeout
}

// SetLogger makes l log to logger.
func SetLogger(l *Limiter, logger *zap.Logger) {
	log := newStateLog(func() *zap.Logger { return logger })
	l.clock.onSkew, l.breaker.onChange = log.clockSkewed, log.outage.Record
}

// Queued returns how many requests that take a unit are queued.
func Queued(l *Limiter) int {
	l.batcher.mu.Lock()
	defer l.batcher.mu.Unlock()
	n := 0
	for _, o := range l.batcher.queue {
		n += o.requests
	}
	return n
}

// Replicas returns the last known number of gateways.
func Replicas(l *Limiter) int { return l.replicas.count(0) }

// TokenID returns a new token id: all tests count in the same Redis.
func TokenID() string { return "tok_" + rand.Text()[:12] }
