package ratelimit

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/quayside/quayside/gateway/internal/ratelimit/redistest"
)

// The reading is wrong by an hour, far more than a busy machine delays a test.
func TestEachRegistrationReadsTheClock(t *testing.T) {
	t.Parallel()

	options, err := redis.ParseURL(redistest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() })
	limiter := WithLongTimeout(New(client, Options{Down: DownDeny}, time.Now))
	ahead := func() time.Duration {
		now, err := limiter.clock.now(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return time.Until(now).Round(time.Minute)
	}
	if got := ahead(); got != 0 {
		t.Errorf("the first reading is %v ahead", got)
	}
	limiter.clock.last.Store(&reading{redis: time.Now().Add(time.Hour), local: time.Now()})
	if got := ahead(); got != time.Hour {
		t.Errorf("a reading is not used: %v", got)
	}
	limiter.replicas.register(t.Context())
	if got := ahead(); got != 0 {
		t.Errorf("a registration does not correct it: %v", got)
	}
	client.ZRem(context.WithoutCancel(t.Context()), replicasKey, limiter.replicas.id)
}

func TestRedisTimeIsThatOfTheMiddleOfTheRoundTrip(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var skews []time.Duration
		c := &clock{local: time.Now, timeout: flushTimeout(), onSkew: func(ahead time.Duration) { skews = append(skews, ahead) }}
		start := time.Now()
		sent := start.Add(time.Hour)
		time.Sleep(20 * time.Millisecond)
		c.record(sent.Unix(), int64(sent.Nanosecond()/1000), start)
		if got, want := c.estimate(), sent.Truncate(time.Microsecond).Add(10*time.Millisecond); !got.Equal(want) {
			t.Errorf("Redis's time is %v, want %v", got, want)
		}
		if want := time.Hour - 10*time.Millisecond; len(skews) != 1 || skews[0] != want {
			t.Errorf("skews %v, want %v", skews, want)
		}
		time.Sleep(flushTimeout())
		if c.record(1, 0, start); len(skews) != 1 {
			t.Error("the time of a slow reply is taken")
		}
	})
}
