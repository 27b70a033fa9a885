package ratelimit

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/quayside/quayside/gateway/internal/redistest"
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
		result, err := limiter.Take(t.Context(), redistest.TokenID(), Quota{Limit: 100, Window: time.Minute})
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
