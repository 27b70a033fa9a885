package ratelimit

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/singleflight"
)

const (
	// readEvery is how often Redis's time is read while requests are counted. In between, this machine's
	// monotonic clock goes on from the last reading, so that setting the machine's clock moves no window.
	syncInterval = 10 * time.Second
	// readStale is how old a reading may be. It gets older than readEvery only while nobody asks.
	maxReadingAge = time.Minute
)

// reading is Redis's time at a moment of the monotonic clock.
type reading struct {
	redis time.Time
	local time.Time
}

// clock tells Redis's time.
type clock struct {
	client  *redis.Client
	timeout time.Duration // of a reading
	// failed is told of a reading that others waited for, and skewed how far Redis's clock is ahead of
	// this machine's, at each reading.
	onError func(error)
	onSkew func(time.Duration)

	last  atomic.Pointer[reading]
	first singleflight.Group
}

// at returns Redis's time at the local time now, reading it when there is no reading that can be relied
// on. With an error, it is the best estimate there is.
func (c *clock) now(ctx context.Context, local time.Time) (time.Time, error) {
	if c.isFresh(local) {
		return c.estimate(local), nil
	}
	// Without a reading the window's number would be a guess, so everybody waits for one.
	_, err, _ := c.first.Do("", func() (any, error) {
		err := c.sync(ctx)
		if err != nil {
			c.onError(err)
		}
		return nil, err
	})
	return c.estimate(local), err
}

// isRead reports whether there is a reading that can be relied on at the local time now.
func (c *clock) isFresh(now time.Time) bool {
	last := c.last.Load()
	return last != nil && now.Sub(last.local) < maxReadingAge
}

// estimate returns Redis's time at the local time now by the last reading, or now if there is none.
func (c *clock) estimate(now time.Time) time.Time {
	last := c.last.Load()
	if last == nil {
		return now
	}
	return last.redis.Add(now.Sub(last.local))
}

// read asks Redis for its time in a round trip of its own. It is for everybody, so who asks first may leave.
func (c *clock) sync(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timeout)
	defer cancel()
	start := time.Now()
	cmd := c.client.Time(ctx)
	c.record(cmd, start)
	return cmd.Err()
}

// readIn lets pipe ask for the time if it is due. The function that it returns is to be called when pipe
// was carried out.
func (c *clock) syncIn(ctx context.Context, pipe redis.Pipeliner) func() {
	start := time.Now()
	if last := c.last.Load(); last != nil && start.Sub(last.local) < syncInterval {
		return func() {}
	}
	cmd := pipe.Time(ctx)
	return func() { c.record(cmd, start) }
}

// note takes Redis's answer for the middle of the round trip that has just ended.
func (c *clock) record(cmd *redis.TimeCmd, start time.Time) {
	if cmd.Err() != nil {
		return
	}
	end := time.Now()
	now := cmd.Val().Add(end.Sub(start) / 2)
	c.last.Store(&reading{redis: now, local: end})
	c.onSkew(now.Sub(end))
}
