package ratelimit

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/quayside/quayside/gateway/internal/ratelimit/redistest"
)

// The readings are wrong by an hour, far more than a busy machine delays a test.
func TestClockReadsRedisAgainWhenItsReadingIsOld(t *testing.T) {
	t.Parallel()

	options, err := redis.ParseURL(redistest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() })
	limiter := WithLongTimeout(New(client, Options{Down: DownDeny}))
	wrong := func(age time.Duration) {
		then := time.Now().Add(-age)
		limiter.clock.last.Store(&reading{redis: then.Add(time.Hour), local: then})
	}
	take := func() time.Duration {
		result, err := limiter.Take(t.Context(), TokenID(), Quota{Limit: 100, Window: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		return time.Until(result.Now).Round(time.Minute)
	}

	wrong(syncInterval / 2)
	if got := take() + take(); got != 2*time.Hour {
		t.Errorf("a fresh reading is not used: %v", got)
	}
	wrong(syncInterval * 2)
	if first, second := take(), take(); first != time.Hour || second != 0 {
		t.Errorf("an old reading is not corrected by the next flush: %v, then %v", first, second)
	}
	wrong(maxReadingAge * 2)
	if got := take(); got != 0 {
		t.Errorf("a stale reading is used: %v", got)
	}
}

func TestRedisTimeIsThatOfTheMiddleOfTheRoundTrip(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var skews []time.Duration
		c := &clock{onSkew: func(ahead time.Duration) { skews = append(skews, ahead) }}
		start := time.Now()
		sent := start.Add(time.Hour)
		time.Sleep(20 * time.Millisecond)
		c.record(redis.NewCmdResult([]any{sent.Unix(), int64(sent.Nanosecond() / 1000)}, nil), start)
		if got, want := c.estimate(time.Now()), sent.Truncate(time.Microsecond).Add(10*time.Millisecond); !got.Equal(want) {
			t.Errorf("Redis's time is %v, want %v", got, want)
		}
		if want := time.Hour - 10*time.Millisecond; len(skews) != 1 || skews[0] != want {
			t.Errorf("skews %v, want %v", skews, want)
		}
		for _, reply := range []*redis.Cmd{
			redis.NewCmdResult(nil, errTest), redis.NewCmdResult([]any{int64(1)}, nil), redis.NewCmdResult([]any{int64(1), int64(2), int64(3)}, nil),
		} {
			if c.record(reply, start); len(skews) != 1 {
				t.Errorf("%v is taken as a time", reply)
			}
		}
	})
}

func TestFlushReadsTheTimeWhenTheReadingIsAsOldAsTheInterval(t *testing.T) {
	t.Parallel()
	withAnswers(t, func(t *testing.T, a *answers, l *Limiter) {
		for age, want := range map[time.Duration]int64{syncInterval - 1: 0, syncInterval: 1} {
			time.Sleep(time.Second) // the batcher is idle
			l.clock.last.Store(&reading{redis: time.Now(), local: time.Now().Add(-age)})
			before := a.readings.Load()
			l.take(t, "tok_x")
			if got := a.readings.Load() - before; got != want {
				t.Errorf("after %v: %d readings, want %d", age, got, want)
			}
		}
	})
}
