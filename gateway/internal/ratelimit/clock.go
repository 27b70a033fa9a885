package ratelimit

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
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
type reading struct{ redis, local time.Time }

// clock estimates Redis's time; before the first reading it is this machine's. Between two readings time advances by
// the monotonic clock, so that setting the wall clock moves no window.
type clock struct {
	local func() time.Time
	last  atomic.Pointer[reading]
}

// now returns the estimate.
func (c *clock) now() time.Time {
	now := c.local()
	if last := c.last.Load(); last != nil {
		return last.redis.Add(now.Sub(last.local))
	}
	return now
}

// refresh reads Redis's time, as that of the middle of the round trip, unless it was read lately. It fails only without
// any reading: the number of a window would be a guess.
func (c *clock) refresh(ctx context.Context, client redis.UniversalClient) error {
	start, last := c.local(), c.last.Load()
	if last != nil && start.Sub(last.local) <= readInterval {
		return nil
	}
	reply, err := client.Eval(ctx, timeScript, []string{timeKey}).Int64Slice()
	if err == nil && len(reply) != 2 {
		err = fmt.Errorf("the reply to TIME has %d numbers", len(reply))
	}
	if err != nil {
		if last != nil {
			err = nil // the last reading is still good
		}
		return err
	}
	end := c.local()
	now := time.Unix(reply[0], reply[1]*int64(time.Microsecond)).Add(end.Sub(start) / 2)
	c.last.Store(&reading{now, end})
	clockSkewSeconds.Set(now.Sub(end).Seconds())
	return nil
}
