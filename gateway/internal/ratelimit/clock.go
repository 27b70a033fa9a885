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
const timeScript = `return redis.call('TIME')`

// reading is Redis's time at a moment of the monotonic clock.
type reading struct {
	redis time.Time
	local time.Time
}

// clock estimates Redis's time. Each registration of the gateway reads it (see [replicas]); in between, time advances
// by this machine's monotonic clock, so that setting the wall clock moves no window.
type clock struct {
	client  redis.UniversalClient
	local   func() time.Time // this machine's clock
	timeout time.Duration    // of a reading
	breaker *circuitBreaker
	onSkew  func(time.Duration) // receives, after each reading, how far Redis's clock is ahead of this machine's

	last  atomic.Pointer[reading]
	first singleflight.Group
}

func newClock(client redis.UniversalClient, local func() time.Time, log *stateLog) *clock {
	c := &clock{client: client, local: local, timeout: flushTimeout(), onSkew: log.clockSkewed}
	c.breaker = newCircuitBreaker(c.sync, log.outage.Note)
	return c
}

// now returns Redis's time. Without a reading the window's number would be a guess, so all requests wait for the first
// one (singleflight). With an error, the time is the local one.
func (c *clock) now(ctx context.Context) (time.Time, error) {
	if c.last.Load() != nil {
		return c.estimate(), nil
	}
	if c.breaker.isOpen() {
		return c.local(), errCircuitOpen
	}
	_, err, _ := c.first.Do("", func() (any, error) {
		err := c.sync(ctx)
		c.breaker.record(err)
		return nil, err
	})
	return c.estimate(), err
}

// estimate returns Redis's time from the last reading, or the local time without one.
func (c *clock) estimate() time.Time {
	now, last := c.local(), c.last.Load()
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
	start := c.local()
	reply, err := c.client.Eval(ctx, timeScript, []string{replicasKey}).Int64Slice()
	switch {
	case err != nil:
		return err
	case len(reply) != 2:
		return fmt.Errorf("the reply to TIME has %d numbers", len(reply))
	}
	c.record(reply[0], reply[1], start)
	return nil
}

// record takes Redis's time as that of the middle of a round trip that began at start. If it took longer than timeout,
// the time is too inexact.
func (c *clock) record(seconds, microseconds int64, start time.Time) {
	end := c.local()
	if end.Sub(start) > c.timeout {
		return
	}
	now := time.Unix(seconds, microseconds*int64(time.Microsecond)).Add(end.Sub(start) / 2)
	c.last.Store(&reading{redis: now, local: end})
	c.onSkew(now.Sub(end))
}
