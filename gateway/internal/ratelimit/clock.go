package ratelimit

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/singleflight"
)

// readEvery is how often Redis's time is read: in between, this machine's monotonic clock goes on from
// the last reading, so that setting the machine's clock moves no window.
const readEvery = 10 * time.Second

// reading is Redis's time at a moment of the monotonic clock.
type reading struct {
	redis time.Time
	local time.Time
}

// clock tells Redis's time.
type clock struct {
	client *redis.Client
	last   atomic.Pointer[reading]
	first  singleflight.Group
	again  sync.Mutex
}

func newClock(client *redis.Client) *clock {
	return &clock{client: client}
}

// now returns Redis's time, reading it first when there is no reading or it is old. With an error, the
// time is the best estimate there is.
func (c *clock) now(ctx context.Context) (time.Time, error) {
	switch last := c.last.Load(); {
	case last == nil:
		// Without any reading the window's number would be a guess, so everybody waits for the first.
		_, err, _ := c.first.Do("", func() (any, error) { return nil, c.read(ctx) })
		return c.estimate(), err
	case time.Since(last.local) > readEvery && c.again.TryLock():
		// One request reads; the others go on with the old reading, which is off by a clock's drift.
		defer c.again.Unlock()
		err := c.read(ctx)
		return c.estimate(), err
	default:
		return c.estimate(), nil
	}
}

func (c *clock) estimate() time.Time {
	last := c.last.Load()
	if last == nil {
		return time.Now()
	}
	return last.redis.Add(time.Since(last.local))
}

// read asks Redis for its time and takes the answer for the middle of the round trip.
func (c *clock) read(ctx context.Context) error {
	asked := time.Now()
	now, err := c.client.Time(ctx).Result()
	if err != nil {
		return err
	}
	answered := time.Now()
	c.last.Store(&reading{redis: now.Add(answered.Sub(asked) / 2), local: answered})
	return nil
}
