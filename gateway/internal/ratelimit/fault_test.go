package ratelimit_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

// newProxiedClient returns a client with the gateway's options on a Redis behind proxy, whose only timeouts are the
// limiter's.
func newProxiedClient(t *testing.T, proxy *redisProxy) *redis.Client {
	t.Helper()
	universal, err := ratelimit.NewClient(proxy.URL())
	if err != nil {
		t.Fatal(err)
	}
	client := universal.(*redis.Client)
	client.Options().ReadTimeout, client.Options().WriteTimeout = time.Minute, time.Minute
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func TestConnectionsCutInTheMiddleOfAPipelineNeverLetMoreThroughThanTheLimit(t *testing.T) {
	t.Parallel()

	proxy, direct := newRedisProxy(t), newLimiter(t, ratelimit.RedisURL(t))
	limiters := []*ratelimit.Limiter{
		ratelimit.New(newProxiedClient(t, proxy), deny, time.Now),
		ratelimit.New(newProxiedClient(t, proxy), deny, time.Now),
	}
	var faults atomic.Int64
	for range 5 {
		ids := []string{newID(t, direct), newID(t, direct), newID(t, direct), newID(t, direct)}
		passed := make([]atomic.Int64, len(ids))
		var callers sync.WaitGroup
		for caller := range 80 {
			callers.Go(func() {
				for n := range 10 {
					if n == 5 && caller%8 == 0 {
						proxy.CutAfter(rand.Int64N(200))
					}
					result, err := limiters[caller%2].Take(t.Context(), perMinute.Of(ids[caller/2%4]))
					switch {
					case errors.Is(err, ratelimit.ErrUnavailable):
						faults.Add(1)
					case err != nil:
						t.Error(err)
					case result.Allowed:
						passed[caller/2%4].Add(1)
					}
				}
			})
		}
		callers.Wait()
		for i, id := range ids {
			for {
				result, err := direct.Take(t.Context(), perMinute.Of(id))
				if err != nil {
					t.Fatal(err)
				}
				if !result.Allowed {
					break
				}
				passed[i].Add(1)
			}
			if n := passed[i].Load(); n > 100 {
				t.Errorf("%d passed, want at most 100", n)
			}
		}
	}
	if faults.Load() == 0 {
		t.Error("no connection was cut")
	}
}

func TestQueuedRequestsFailWithTheTimedOutFlush(t *testing.T) {
	t.Parallel()

	proxy := newRedisProxy(t)
	client := newProxiedClient(t, proxy)
	limiter := ratelimit.WithLongTimeout(ratelimit.New(client, deny, time.Now))
	if _, err := limiter.Take(t.Context(), perMinute.Of(newID(t, limiter))); err != nil { // connects and reads the time
		t.Fatal(err)
	}
	ratelimit.SetTimeout(limiter, time.Second)

	seen := countTraffic(client)
	proxy.SetHung(true)
	first := takeConcurrently(t.Context(), limiter, 1, func(int) string { return ratelimit.TokenID() })
	for seen.roundTrips.Load() == 0 {
		<-time.After(time.Millisecond)
	}
	rest := takeConcurrently(t.Context(), limiter, 100, func(int) string { return ratelimit.TokenID() })
	waitQueued(t, limiter, 100)
	for _, answers := range []<-chan takeResult{first, rest} {
		for range cap(answers) {
			if a := <-answers; !errors.Is(a.err, ratelimit.ErrUnavailable) {
				t.Errorf("%+v", a)
			}
		}
	}
	if trips := seen.roundTrips.Load(); trips != 1 {
		t.Errorf("%d round trips, want 1", trips)
	}
}
