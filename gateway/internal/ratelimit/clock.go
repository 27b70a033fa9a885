package ratelimit

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/singleflight"
)

// In a cluster every node has a clock, and TIME would read any of them. A script with a key reads the clock of the node
// that has the key, which is the same for all gateways.
const (
	timeScript = `return redis.call('TIME')`
	timeKey    = redisPrefix + "clock"
)

// readInterval is the time after which the clock is read again.
const readInterval = 10 * time.Second

// reading is Redis's time at a moment of the monotonic clock.
type reading struct {
	redis time.Time
	local time.Time
}

// at returns Redis's time at a local time.
func (r *reading) at(local time.Time) time.Time { return r.redis.Add(local.Sub(r.local)) }

// clock estimates Redis's time. Between two readings time advances by this machine's monotonic clock, so that setting
// the wall clock moves no window.
type clock struct {
	client  redis.UniversalClient
	local   func() time.Time // this machine's clock
	timeout time.Duration    // of a reading
	breaker *circuitBreaker

	last  atomic.Pointer[reading]
	first singleflight.Group
}

// now returns Redis's time. Without a reading the window's number would be a guess, so all requests wait for the first
// one (singleflight). With an error, the time is the local one.
func (c *clock) now(ctx context.Context) (time.Time, error) {
	if last := c.last.Load(); last != nil {
		now := c.local()
		// One request begins a reading. If it fails, the next one is as much later.
		if now.Sub(last.local) > readInterval && c.last.CompareAndSwap(last, &reading{last.at(now), now}) {
			go func() { _ = c.read(context.WithoutCancel(ctx)) }()
		}
		return last.at(now), nil
	}
	if !c.breaker.allow() {
		return c.local(), errCircuitOpen
	}
	_, err, _ := c.first.Do("", func() (any, error) {
		err := c.read(context.WithoutCancel(ctx)) // other requests wait, too
		c.breaker.record(err)
		return nil, err
	})
	return c.estimate(), err
}

// estimate returns Redis's time from the last reading, or the local time without one.
func (c *clock) estimate() time.Time {
	now := c.local()
	if last := c.last.Load(); last != nil {
		return last.at(now)
	}
	return now
}

// read reads Redis's time, as that of the middle of the round trip.
func (c *clock) read(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	start := c.local()
	reply, err := c.client.Eval(ctx, timeScript, []string{timeKey}).Int64Slice()
	switch {
	case err != nil:
		return err
	case len(reply) != 2:
		return fmt.Errorf("the reply to TIME has %d numbers", len(reply))
	}
	end := c.local()
	now := time.Unix(reply[0], reply[1]*int64(time.Microsecond)).Add(end.Sub(start) / 2)
	c.last.Store(&reading{redis: now, local: end})
	clockSkewSeconds.Set(now.Sub(end).Seconds())
	return nil
}
