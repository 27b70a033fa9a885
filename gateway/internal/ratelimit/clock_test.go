package ratelimit

import (
	"testing"
	"time"
)

// The readings are wrong by an hour, far more than a busy machine delays a test.
func TestTheClockIsThatOfRedisAndIsReadAgain(t *testing.T) {
	t.Parallel()

	client, err := NewClient(RedisURL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	c := &clock{local: time.Now}
	ahead := func(want time.Duration) {
		t.Helper()
		for deadline := time.Now().Add(30 * time.Second); ; {
			err := c.refresh(t.Context(), client)
			if got := time.Until(c.now()).Round(time.Minute); err == nil && got == want {
				return
			} else if time.Now().After(deadline) {
				t.Fatalf("it is %v ahead, want %v: %v", got, want, err)
			}
		}
	}
	ahead(0)
	c.last.Store(&reading{redis: time.Now().Add(time.Hour), local: time.Now()})
	ahead(time.Hour)
	old := time.Now().Add(-readInterval)
	c.last.Store(&reading{redis: old.Add(time.Hour), local: old})
	ahead(0)
}

func TestWithoutRedisTheClockAdvancesFromTheLastReading(t *testing.T) {
	t.Parallel()

	client, err := NewClient("redis://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	now := time.Now()
	c := &clock{local: func() time.Time { return now }}
	if err := c.refresh(t.Context(), client); err == nil || !c.now().Equal(now) {
		t.Errorf("without a reading it is %v, %v", c.now(), err)
	}
	c.last.Store(&reading{redis: now.Add(time.Hour), local: now})
	now = now.Add(2 * readInterval)
	if err := c.refresh(t.Context(), client); err != nil || c.now().Sub(now) != time.Hour {
		t.Errorf("it is %v ahead, %v", c.now().Sub(now), err)
	}
}
