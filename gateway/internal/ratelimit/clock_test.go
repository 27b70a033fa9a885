package ratelimit

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/quayside/quayside/gateway/internal/ratelimit/redistest"
)

// The readings are wrong by an hour, far more than a busy machine delays a test.
func TestTheClockIsThatOfRedisAndIsReadAgain(t *testing.T) {
	t.Parallel()

	client, err := NewClient(redistest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	limiter := WithLongTimeout(New(client, Options{Down: DownDeny}, time.Now))
	ahead := func() time.Duration {
		now, err := limiter.clock.now(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return time.Until(now).Round(time.Minute)
	}
	redistest.Eventually(t, "the first reading", func() bool {
		_, err := limiter.clock.now(t.Context())
		return err == nil
	})
	if got := ahead(); got != 0 {
		t.Errorf("the first reading is %v ahead", got)
	}
	limiter.clock.last.Store(&reading{redis: time.Now().Add(time.Hour), local: time.Now()})
	if got := ahead(); got != time.Hour {
		t.Errorf("a reading is not used: %v", got)
	}
	old := time.Now().Add(-readInterval)
	limiter.clock.last.Store(&reading{redis: old.Add(time.Hour), local: old})
	redistest.Eventually(t, "another reading", func() bool { return ahead() == 0 })
}

func TestBetweenReadingsTheTimeOfRedisAdvances(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &clock{local: time.Now}
		c.last.Store(&reading{redis: time.Now().Add(time.Hour), local: time.Now()})
		time.Sleep(time.Second)
		if got, err := c.now(t.Context()); err != nil || time.Until(got) != time.Hour || c.estimate() != got {
			t.Errorf("Redis's time is %v, %v", got, err)
		}
	})
}
