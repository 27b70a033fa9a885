package ratelimit

import "time"

// Patient gives l so much time for Redis that a busy machine fails no test of counting.
func WithLongTimeout(l *Limiter) *Limiter {
	SetTimeout(l, time.Minute)
	return l
}

// SetTimeout gives l another time for a round trip.
func SetTimeout(l *Limiter, timeout time.Duration) {
	l.batcher.timeout, l.batcher.flushTimeout, l.clock.timeout = timeout, timeout, timeout
}

// Queued returns how many callers that take wait for the next round trips.
func Queued(l *Limiter) int {
	l.batcher.mu.Lock()
	defer l.batcher.mu.Unlock()
	n := 0
	for _, o := range l.batcher.queue {
		n += o.requests
	}
	return n
}

// Lateness is how late a request may be counted.
const WriteBehindDelay = writeBehindDelay
