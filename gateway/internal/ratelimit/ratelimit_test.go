package ratelimit_test

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

var perMinute = ratelimit.Window{Limit: 100, Length: time.Minute}

// deny makes a limiter fail without Redis, so that the local fallback passes no test of counting.
var deny = ratelimit.Options{Down: ratelimit.DownDeny}

// newClient returns a client with go-redis's own, longer timeouts, so that a busy machine does not fail tests of
// counting.
func newClient(t testing.TB, url string) *redis.Client {
	t.Helper()
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// traffic is a hook that counts round trips and the script calls in them.
type traffic struct{ roundTrips, scripts atomic.Int64 }

func countTraffic(client redis.UniversalClient) *traffic {
	seen := new(traffic)
	client.AddHook(seen)
	return seen
}

func (seen *traffic) DialHook(next redis.DialHook) redis.DialHook { return next }

func (seen *traffic) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		seen.roundTrips.Add(1)
		return next(ctx, cmd)
	}
}

func (seen *traffic) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		seen.roundTrips.Add(1)
		for _, cmd := range cmds {
			if strings.HasPrefix(cmd.Name(), "eval") {
				seen.scripts.Add(1)
			}
		}
		return next(ctx, cmds)
	}
}

func newLimiter(t testing.TB, url string) *ratelimit.Limiter {
	t.Helper()
	return ratelimit.WithLongTimeout(ratelimit.New(newClient(t, url), deny, time.Now))
}

// newID returns an id whose present window lasts for another 20 s, so that a test sees one window.
func newID(t testing.TB, limiter *ratelimit.Limiter, prefix ...string) string {
	t.Helper()
	for range 1000 {
		id := strings.Join(prefix, "") + ratelimit.TokenID()
		if ratelimit.Until(limiter, id, perMinute.Length) > 20*time.Second {
			return id
		}
	}
	t.Fatal("all windows end at once")
	return ""
}

func TestExactlyTheLimitPassesAndRemainingCountsDown(t *testing.T) {
	t.Parallel()

	limiter := newLimiter(t, ratelimit.RedisURL(t))
	// A plain GCRA is wrong by one or more as soon as time passes between requests, so the paces matter.
	for name, pace := range map[string]time.Duration{
		"as fast as it goes": 0, "1 ms": time.Millisecond,
		"20 ms": 20 * time.Millisecond,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id := newID(t, limiter)
			var wait <-chan time.Time
			if pace > 0 {
				ticker := time.NewTicker(pace)
				defer ticker.Stop()
				wait = ticker.C
			}
			for n := 1; n <= 110; n++ {
				result, err := limiter.Take(t.Context(), perMinute.Of(id))
				if err != nil {
					t.Fatal(err)
				}
				if wantAllowed := n <= 100; result.Allowed != wantAllowed {
					t.Fatalf("request %d: Allowed = %v", n, result.Allowed)
				}
				if want := max(100-n, 0); result.Remaining != want {
					t.Fatalf("request %d: Remaining = %d, want %d", n, result.Remaining, want)
				}
				if wait != nil {
					<-wait
				}
			}
		})
	}
}

func TestExactlyTheLimitPassesOverManyLimitersAtOnce(t *testing.T) {
	t.Parallel()

	url := ratelimit.RedisURL(t)
	limiters := []*ratelimit.Limiter{newLimiter(t, url), newLimiter(t, url)}
	id := newID(t, limiters[0])
	var passed, refused atomic.Int64
	var workers sync.WaitGroup
	for worker := range 20 {
		workers.Go(func() {
			for range 20 {
				switch result, err := limiters[worker%2].Take(t.Context(), perMinute.Of(id)); {
				case err != nil:
					t.Error(err)
				case result.Allowed:
					passed.Add(1)
				default:
					refused.Add(1)
				}
			}
		})
	}
	workers.Wait()
	if passed.Load() != 100 || refused.Load() != 300 {
		t.Errorf("%d passed and %d were refused of 400, want 100 and 300", passed.Load(), refused.Load())
	}
}

func TestNewWindowBeginsAtReset(t *testing.T) {
	t.Parallel()

	limiter := newLimiter(t, ratelimit.RedisURL(t))
	quota := ratelimit.Window{Limit: 3, Length: 2 * time.Second}
	id := ratelimit.TokenID()
	var result ratelimit.State
	var err error
	for result.Allowed = true; result.Allowed; {
		if result, err = limiter.Take(t.Context(), quota.Of(id)); err != nil {
			t.Fatal(err)
		}
	}
	if result.Remaining != 0 || !result.Reset.After(result.Now) || result.Reset.Sub(result.Now) > quota.Length {
		t.Fatalf("refused with %+v", result)
	}
	<-time.After(result.Reset.Sub(result.Now) + 5*time.Millisecond)
	if result, err = limiter.Take(t.Context(), quota.Of(id)); err != nil || !result.Allowed || result.Remaining != 2 {
		t.Errorf("after Reset: %+v, %v", result, err)
	}
}

func TestPeekReportsWhatThisGatewayKnows(t *testing.T) {
	t.Parallel()

	url := ratelimit.RedisURL(t)
	limiter, other := newLimiter(t, url), newLimiter(t, url)
	quota := ratelimit.Window{Limit: 2, Length: time.Minute}
	id := newID(t, limiter)
	for want := 2; want >= 0; want-- {
		if result := limiter.Peek(quota.Of(id)); result.Remaining != want ||
			result.Allowed != (want > 0) || result.Source != ratelimit.Memory {
			t.Fatalf("with %d left: %+v", want, result)
		}
		if result, err := limiter.Take(t.Context(), quota.Of(id)); err != nil || result.Allowed != (want > 0) {
			t.Fatalf("%+v, %v", result, err)
		}
	}
	if result, err := other.Take(t.Context(), quota.Of(id)); err != nil || result.Allowed {
		t.Errorf("%+v, %v", result, err)
	}
	if result := other.Peek(quota.Of(id)); result.Allowed {
		t.Errorf("the other knows of %+v", result)
	}
}

func TestEmptyWindowIsRefusedWithoutRedisUntilReset(t *testing.T) {
	t.Parallel()

	client := newClient(t, ratelimit.RedisURL(t))
	seen := countTraffic(client)
	limiter := ratelimit.WithLongTimeout(ratelimit.New(client, deny, time.Now))
	for _, prefix := range []string{"", "address:"} {
		id := newID(t, limiter, prefix)
		quota := ratelimit.Window{Limit: 3, Length: time.Minute}
		for n := range 5 {
			before := seen.roundTrips.Load()
			result, err := limiter.Take(t.Context(), quota.Of(id))
			if err != nil || result.Allowed != (n < 3) || result.Remaining != max(2-n, 0) || !result.Reset.After(result.Now) {
				t.Fatalf("request %d: %+v, %v", n+1, result, err)
			}
			asked, want := seen.roundTrips.Load() > before, ratelimit.Redis
			if n >= 3 {
				want = ratelimit.Memory
			}
			if result.Source != want || asked != (want == ratelimit.Redis) {
				t.Errorf("request %d: decided by %s, Redis asked: %v", n+1, result.Source, asked)
			}
		}
		if result := limiter.Peek(quota.Of(id)); result.Allowed ||
			result.Source != ratelimit.Memory {
			t.Errorf("peek: %+v", result)
		}
		quota.Limit = 4 // an organization's limit was raised
		if result, err := limiter.Take(t.Context(), quota.Of(id)); err != nil || !result.Allowed ||
			result.Source != ratelimit.Redis {
			t.Errorf("with a higher limit: %+v, %v", result, err)
		}
	}
}

func TestKeysExpireSoonAfterTheirWindow(t *testing.T) {
	t.Parallel()
	if os.Getenv("TEST_REDIS_EMBEDDED") != "" {
		t.Skip("the embedded Redis does not return exact times of expiry: redis-server is not installed")
	}

	url := ratelimit.RedisURL(t)
	limiter := newLimiter(t, url)
	id := newID(t, limiter)
	client := newClient(t, url)

	for step, use := range []func() (ratelimit.State, error){
		func() (ratelimit.State, error) { return limiter.Take(t.Context(), perMinute.Of(id)) },
		func() (ratelimit.State, error) { return limiter.Take(t.Context(), perMinute.Of(id)) },
	} {
		result, err := use()
		if err != nil {
			t.Fatal(err)
		}
		keys, err := client.Keys(t.Context(), "rate:"+id+":*").Result()
		if err != nil || len(keys) != 1 {
			t.Fatalf("keys %v, %v", keys, err)
		}
		expiry, err := client.PExpireTime(t.Context(), keys[0]).Result()
		if want := time.Duration(result.Reset.Add(5*time.Second).UnixMilli()) * time.Millisecond; err != nil ||
			expiry != want {
			t.Errorf("step %d: forgotten at %v, want %v (%v)", step, expiry, want, err)
		}
	}
}

func TestFlushedScriptIsLoadedAgain(t *testing.T) {
	t.Parallel()

	server := startRedis(t) // scripts belong to the whole server
	limiter := newLimiter(t, "redis://"+server.Addr)
	id := newID(t, limiter)
	client := server.Client(t)
	for n := 1; n <= 3; n++ {
		if err := client.ScriptFlush(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		if result, err := limiter.Take(t.Context(), perMinute.Of(id)); err != nil || result.Remaining != 100-n {
			t.Fatalf("request %d after SCRIPT FLUSH: %+v, %v", n, result, err)
		}
	}
}

func TestDeadRedisIsDetectedWithinTheTimeout(t *testing.T) {
	t.Parallel()

	hung, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = hung.Close() })
	for name, address := range map[string]string{
		"refused": "127.0.0.1:1", "accepts and never answers": hung.Addr().String(), "black hole": "192.0.2.1:6379",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, err := ratelimit.NewClient("redis://" + address)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = client.Close() })
			limiter := ratelimit.New(client, deny, time.Now)
			fastest := time.Hour
			for range 3 {
				start := time.Now()
				result, err := limiter.Take(t.Context(), perMinute.Of("tok_x"))
				fastest = min(fastest, time.Since(start))
				if !errors.Is(err, ratelimit.ErrUnavailable) || result.Allowed {
					t.Errorf("%+v, %v", result, err)
				}
				if left := result.Reset.Sub(result.Now); result.Remaining != 100 || left <= 0 || left > time.Minute {
					t.Errorf("computed window %+v", result)
				}
			}
			if fastest > 2*time.Second { // others may have waited for a processor
				t.Errorf("the fastest took %v", fastest)
			}
		})
	}
}

func TestLocalWindowsAreCountedInMemoryWithoutRedis(t *testing.T) {
	t.Parallel()

	client, err := ratelimit.NewClient("redis://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	limiter := ratelimit.New(client, ratelimit.Options{Down: ratelimit.DownDeny}, time.Now)
	t.Cleanup(limiter.Close)
	quota := ratelimit.Window{Limit: 3, Length: 24 * time.Hour, Local: true}
	for n := range 5 {
		result, err := limiter.Take(t.Context(), quota.Of("public:192.0.2.1"))
		if err != nil || result.Allowed != (n < 3) || result.Remaining != max(2-n, 0) || !result.Reset.After(result.Now) {
			t.Errorf("request %d: %+v, %v", n+1, result, err)
		}
	}
	if result, err := limiter.Take(t.Context(), quota.Of("public:192.0.2.2")); err != nil || result.Remaining != 2 {
		t.Errorf("another address: %+v, %v", result, err)
	}
}
