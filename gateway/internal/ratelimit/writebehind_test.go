package ratelimit_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
	"github.com/quayside/quayside/gateway/internal/ratelimit/redistest"
)

func TestWriteBehindCountsDownWithFewRoundTrips(t *testing.T) {
	t.Parallel()

	client := newClient(t, redistest.URL(t))
	limiter, seen := ratelimit.WithLongTimeout(ratelimit.New(client, deny)), countTraffic(client)
	id := newID(t, limiter, "address:")
	began, before := time.Now(), seen.scripts.Load()
	for n := 1; n <= 100; n++ {
		result, err := limiter.TakeWriteBehind(t.Context(), id, perMinute)
		if err != nil || !result.Allowed || result.Remaining != 100-n {
			t.Fatalf("request %d: %+v, %v", n, result, err)
		}
	}
	// One for the first request, one for the last, and two for each writeBehindDelay.
	passed := int64(time.Since(began)/ratelimit.WriteBehindDelay) + 1
	if asked := seen.scripts.Load() - before; asked > 2+2*passed {
		t.Errorf("%d script calls in %d times the delay", asked, passed)
	}
	result, err := limiter.TakeWriteBehind(t.Context(), id, perMinute)
	if err != nil || result.Allowed || result.Remaining != 0 {
		t.Errorf("request 101: %+v, %v", result, err)
	}
}

func TestWriteBehindReachesRedisWithoutFurtherRequests(t *testing.T) {
	t.Parallel()

	limiter, other := newLimiter(t, redistest.URL(t)), newLimiter(t, redistest.URL(t))
	id := newID(t, limiter, "address:")
	writeBehind := false
	for range 50 {
		result, err := limiter.TakeWriteBehind(t.Context(), id, perMinute)
		if err != nil {
			t.Fatal(err)
		}
		writeBehind = writeBehind || result.Source == ratelimit.WriteBehind
	}
	if !writeBehind {
		t.Error("all waited for Redis")
	}
	for deadline := time.Now().Add(10 * time.Second); ; {
		result, err := other.Peek(t.Context(), id, perMinute)
		if err != nil {
			t.Fatal(err)
		}
		if result.Remaining == 50 {
			return
		}
		if result.Remaining < 50 || time.Now().After(deadline) {
			t.Fatalf("another gateway sees %d remaining", result.Remaining)
		}
	}
}

func TestExactlyTheLimitPassesWithMixedWriteBehind(t *testing.T) {
	t.Parallel()

	limiter, other := newLimiter(t, redistest.URL(t)), newLimiter(t, redistest.URL(t))
	for range 10 {
		id := newID(t, limiter, "address:")
		var passed atomic.Int64
		var callers sync.WaitGroup
		for caller := range 40 {
			count := limiter.Take
			if caller%2 == 0 {
				count = limiter.TakeWriteBehind
			}
			callers.Go(func() {
				for range 5 {
					result, err := count(t.Context(), id, perMinute)
					if err != nil {
						t.Error(err)
						return
					}
					if result.Allowed {
						passed.Add(1)
					}
				}
			})
		}
		callers.Wait()
		result, err := other.Peek(t.Context(), id, perMinute)
		if passed.Load() != 100 || err != nil || result.Remaining != 0 {
			t.Errorf("%d passed, Redis says %d remain (%v)", passed.Load(), result.Remaining, err)
		}
	}
}

func TestWriteBehindKeepsEachGatewayWithinTheLimit(t *testing.T) {
	t.Parallel()

	limiters := []*ratelimit.Limiter{newLimiter(t, redistest.URL(t)), newLimiter(t, redistest.URL(t))}
	id := newID(t, limiters[0], "address:")
	var passed [2]atomic.Int64
	var callers sync.WaitGroup
	for caller := range 40 {
		callers.Go(func() {
			for range 10 {
				result, err := limiters[caller%2].TakeWriteBehind(t.Context(), id, perMinute)
				if err != nil {
					t.Error(err)
					return
				}
				if result.Allowed {
					passed[caller%2].Add(1)
				}
			}
		})
	}
	callers.Wait()
	a, b := passed[0].Load(), passed[1].Load()
	if a > 100 || b > 100 || a+b < 100 {
		t.Errorf("%d and %d passed", a, b)
	}
}
