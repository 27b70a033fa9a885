package ratelimit_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

// newUnreliable returns a limiter with the gateway's options on a Redis behind proxy.
func newUnreliable(t *testing.T, proxy *redisProxy, options ratelimit.Options) *ratelimit.Limiter {
	t.Helper()
	limiter := ratelimit.New(newProxiedClient(t, proxy), options, time.Now)
	t.Cleanup(limiter.Close)
	return limiter
}

// waitForSource requests unused windows until three in a row are decided by source.
func waitForSource(t *testing.T, limiter *ratelimit.Limiter, source ratelimit.Source) {
	t.Helper()
	for inARow, start := 0, time.Now(); inARow < 3; inARow++ {
		if time.Since(start) > 20*time.Second {
			t.Fatalf("windows are not decided by %s", source)
		}
		if got, err := limiter.Take(t.Context(), perMinute.Of(ratelimit.TokenID())); err != nil || got.Source != source {
			inARow = -1
			<-time.After(5 * time.Millisecond)
		}
	}
}

// countAllowed makes n requests of id and returns how many are allowed.
func countAllowed(t *testing.T, limiter *ratelimit.Limiter, id string, n int) (passed int) {
	t.Helper()
	for range n {
		result, err := limiter.Take(t.Context(), perMinute.Of(id))
		if err != nil {
			t.Fatal(err)
		}
		if result.Allowed {
			passed++
		}
	}
	return passed
}

// The documented bound: a window in Redis, one of all shares while it is away, and one more if it comes back empty.
func TestAnEmptiedRedisAllowsAtMostTwoFurtherWindows(t *testing.T) {
	t.Parallel()

	proxy, direct := newRedisProxy(t), newLimiter(t, ratelimit.RedisURL(t))
	gateways := make([]*ratelimit.Limiter, 3)
	each := func(source ratelimit.Source) {
		for _, l := range gateways {
			waitForSource(t, l, source)
		}
	}
	for i := range gateways {
		gateways[i] = ratelimit.WithLongTimeout(newUnreliable(t, proxy, ratelimit.Options{Replicas: len(gateways)}))
	}
	each(ratelimit.Redis)
	id := newID(t, direct)
	allowed := countAllowed(t, gateways[0], id, 2*perMinute.Limit)
	if allowed != perMinute.Limit {
		t.Errorf("%d before", allowed)
	}
	proxy.SetDown(true)
	each(ratelimit.Local)
	for _, l := range gateways {
		allowed += countAllowed(t, l, id, 2*perMinute.Limit)
	}
	if most := 2 * perMinute.Limit; allowed > most {
		t.Errorf("%d while Redis is away, want at most %d", allowed, most)
	}
	client, err := ratelimit.NewClient(ratelimit.RedisURL(t))
	if err != nil {
		t.Fatal(err)
	}
	keys, err := client.Keys(t.Context(), "rate:"+id+"*").Result()
	if err != nil || client.Del(t.Context(), keys...).Err() != nil || client.Close() != nil {
		t.Fatalf("%q, %v", keys, err)
	}
	proxy.SetDown(false)
	each(ratelimit.Redis)
	for _, l := range gateways {
		allowed += countAllowed(t, l, id, 2*perMinute.Limit)
	}
	if most := 3 * perMinute.Limit; allowed > most {
		t.Errorf("%d in all, want at most %d", allowed, most)
	}
}

func TestOneGatewayAllowsTheLimitOverAnOutage(t *testing.T) {
	t.Parallel()

	proxy, direct := newRedisProxy(t), newLimiter(t, ratelimit.RedisURL(t))
	limiter := newUnreliable(t, proxy, ratelimit.Options{})
	waitForSource(t, ratelimit.WithLongTimeout(limiter), ratelimit.Redis)
	used, half := newID(t, direct), newID(t, direct)

	passed := countAllowed(t, limiter, used, 30)
	proxy.SetDown(true)
	waitForSource(t, limiter, ratelimit.Local)
	last, err := limiter.Take(t.Context(), perMinute.Of(used))
	if err != nil || !last.Allowed || last.Remaining > 69 || last.Source != ratelimit.Local {
		t.Errorf("the count in Redis is forgotten: %+v, %v", last, err)
	}
	passed++
	passed += countAllowed(t, limiter, used, 110)
	if n := countAllowed(t, limiter, half, 40); n != 40 || passed != 100 {
		t.Errorf("%d and %d passed, want 100 and 40", passed, n)
	}

	proxy.SetDown(false)
	waitForSource(t, limiter, ratelimit.Redis)
	if n := countAllowed(t, limiter, half, 70); n != 60 {
		t.Errorf("%d passed after the outage, want 60", n)
	}
	if n := countAllowed(t, limiter, used, 5); n != 0 {
		t.Errorf("%d passed after the local fallback used up the window", n)
	}
}

func TestOneGatewayNeverExceedsTheLimitWithFlappingRedis(t *testing.T) {
	t.Parallel()

	proxy, direct := newRedisProxy(t), newLimiter(t, ratelimit.RedisURL(t))
	limiter := newUnreliable(t, proxy, ratelimit.Options{})
	stop := make(chan struct{})
	var flapping sync.WaitGroup
	flapping.Go(func() {
		for n := int64(0); ; n++ {
			select {
			case <-stop:
				proxy.SetDown(false)
				return
			case <-time.After(7 * time.Millisecond):
				proxy.SetDown(n%3 == 0)
				proxy.CutAfter(n * 13 % 300)
			}
		}
	})
	passed := map[string]*atomic.Int64{}
	for range 8 {
		passed[newID(t, direct)] = new(atomic.Int64)
	}
	var callers sync.WaitGroup
	for id, count := range passed {
		for range 10 {
			callers.Go(func() {
				for range 40 {
					result, err := limiter.Take(t.Context(), perMinute.Of(id))
					if err != nil {
						t.Error(err)
					}
					if result.Allowed {
						count.Add(1)
					}
					<-time.After(time.Millisecond)
				}
			})
		}
	}
	callers.Wait()
	close(stop)
	flapping.Wait()
	waitForSource(t, limiter, ratelimit.Redis)
	for id, count := range passed {
		count.Add(int64(countAllowed(t, limiter, id, 110)))
		// Fewer than the limit are allowed if Redis counted requests whose replies were lost.
		if n := count.Load(); n > 100 || n < 50 {
			t.Errorf("%d passed, want at most 100", n)
		}
	}
}
