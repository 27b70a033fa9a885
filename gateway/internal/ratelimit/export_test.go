package ratelimit

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/redis/go-redis/v9/logging"

	"github.com/quayside/quayside/gateway/servicekit/testserver"
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

// Until returns the time that is left of the present window of id.
func Until(l *Limiter, id string, length time.Duration) time.Duration {
	now := l.clock.now()
	return Window{ID: id, Length: length}.end(now).Sub(now)
}

// Left returns what is left of a window in Redis, and takes one of it.
func Left(ctx context.Context, l *Limiter, w Window) (int, error) {
	result, err := l.Take(ctx, w)
	if result.Allowed {
		result.Remaining++
	}
	return result.Remaining, err
}

// RedisURL returns the address of the Redis of the tests.
func RedisURL(tb testing.TB) string {
	tb.Helper()
	return testserver.URL(tb, "TEST_REDIS_URL")
}

// Queued returns how many requests are queued.
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

func init() { logging.Disable() } // as the shipped gateway does
