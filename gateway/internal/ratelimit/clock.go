package ratelimit

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/singleflight"
)

const (
	// syncInterval is how often Redis's time is read while requests are counted. In between, time advances by this
	// machine's monotonic clock, so that setting the wall clock moves no window.
	syncInterval = 10 * time.Second
	// maxReadingAge is how old a reading may be before requests wait for a new one. Only an idle gateway gets there.
	maxReadingAge = time.Minute
)

// In a cluster every node has a clock, and TIME would read any of them. A script with a key reads the clock of the node
// that has the key, which is the same for all gateways.
const (
	timeScript = `return redis.call('TIME')`
	clockKey   = "rate:clock"
)

// reading is Redis's time at a moment of the monotonic clock.
type reading struct {
	redis time.Time
	local time.Time
}

// clock estimates Redis's time.
type clock struct {
	client  redis.UniversalClient
	timeout time.Duration // of a reading
	// onError receives the error of a failed reading that requests waited for; onSkew receives, after each reading,
	// how far Redis's clock is ahead of this machine's.
	onError func(error)
	onSkew  func(time.Duration)

	last  atomic.Pointer[reading]
	first singleflight.Group
}

// now returns Redis's time at the local time, reading it first if there is no fresh reading. With an error, the time
// is the best estimate.
func (c *clock) now(ctx context.Context, local time.Time) (time.Time, error) {
	if c.isFresh(local) {
		return c.estimate(local), nil
	}
	// Without a reading the window's number would be a guess, so all requests wait for one (singleflight).
	_, err, _ := c.first.Do("", func() (any, error) {
		err := c.sync(ctx)
		if err != nil {
			c.onError(err)
		}
		return nil, err
	})
	return c.estimate(local), err
}

// isFresh reports whether there is a reading of at most maxReadingAge at the local time now.
func (c *clock) isFresh(now time.Time) bool {
	last := c.last.Load()
	return last != nil && now.Sub(last.local) < maxReadingAge
}

// estimate returns Redis's time at the local time now from the last reading, or now itself without one.
func (c *clock) estimate(now time.Time) time.Time {
	last := c.last.Load()
	if last == nil {
		return now
	}
	return last.redis.Add(now.Sub(last.local))
}

// sync reads Redis's time in a round trip of its own. Cancelling ctx does not end it, because other requests wait
// too.
func (c *clock) sync(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timeout)
	defer cancel()
	start := time.Now()
	cmd := c.client.Eval(ctx, timeScript, []string{clockKey})
	c.record(cmd, start)
	return cmd.Err()
}

// syncIn adds a reading to pipe if one is due. Call the returned function after pipe was executed.
func (c *clock) syncIn(ctx context.Context, pipe redis.Pipeliner) func() {
	start := time.Now()
	if last := c.last.Load(); last != nil && start.Sub(last.local) < syncInterval {
		return func() {}
	}
	cmd := pipe.Eval(ctx, timeScript, []string{clockKey})
	return func() { c.record(cmd, start) }
}

// record takes Redis's reply as the time at the middle of the round trip.
func (c *clock) record(cmd *redis.Cmd, start time.Time) {
	reply, err := cmd.Int64Slice()
	if err != nil || len(reply) != 2 {
		return
	}
	end := time.Now()
	now := time.Unix(reply[0], reply[1]*int64(time.Microsecond)).Add(end.Sub(start) / 2)
	c.last.Store(&reading{redis: now, local: end})
	c.onSkew(now.Sub(end))
}
