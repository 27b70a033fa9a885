package ratelimit_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quayside/quayside/gateway/internal/ratelimit/redistest"
)

func TestTakeAllTakesAllOrNone(t *testing.T) {
	t.Parallel()

	limiter := newLimiter(t, redistest.URL(t))
	id := newID(t, limiter)
	take := func(n int, allowed bool, remaining int) {
		t.Helper()
		got, err := limiter.TakeAll(t.Context(), id, perMinute, n)
		if err != nil || got.Allowed != allowed || allowed && got.Remaining != remaining {
			t.Fatalf("%d: %+v, %v; want %t, %d", n, got, err, allowed, remaining)
		}
	}
	take(90, true, 10)
	take(11, false, 0)
	take(1, true, 9)
	take(10, false, 0)
	take(9, true, 0)
	take(1, false, 0)
}

// Requests of different cost at the same time take exactly the limit.
func TestTakeAllSharesAWindowWithTake(t *testing.T) {
	t.Parallel()

	limiter := newLimiter(t, redistest.URL(t))
	id := newID(t, limiter)
	var taken atomic.Int64
	var group sync.WaitGroup
	for i := range 200 {
		cost := 1 + i%2*6 // 1 or 7
		group.Go(func() {
			got, err := limiter.TakeAll(t.Context(), id, perMinute, cost)
			if err != nil {
				t.Error(err)
			}
			if got.Allowed {
				taken.Add(int64(cost))
			}
		})
	}
	group.Wait()
	for {
		got, err := limiter.Take(t.Context(), id, perMinute)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Allowed {
			break
		}
		taken.Add(1)
	}
	if n := taken.Load(); n != 100 {
		t.Errorf("%d were taken of 100", n)
	}
}
