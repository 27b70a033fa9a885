package load

import (
	"context"
	"time"

	"github.com/quayside/quayside/deploy/bench/kernel"
)

// schedule makes requests due, one an interval, until stop is called. The
// queue holds all of a plan, so nothing that the server does holds it up.
func (r *run) schedule() (stop func(), err error) {
	interval := time.Second / time.Duration(r.plan.Rate)
	planned := int((r.plan.Warmup + r.plan.Length + patience) / interval)
	r.due = make(chan time.Time, planned)
	start := time.Now()
	ticks, err := kernel.NewTicks(interval)
	if err != nil {
		return nil, err
	}
	go func() {
		defer close(r.due)
		for passed := 0; passed < planned && r.ended.Load() == 0; {
			n, err := ticks.Wait()
			if err != nil {
				return // stopped
			}
			for range min(n, planned-passed) {
				passed++
				r.due <- start.Add(time.Duration(passed) * interval)
			}
		}
	}()
	return ticks.Stop, nil
}

// lateness is how long after the counting's end requests that are due by then
// are still sent.
const lateness = time.Second

// keepPace sends what is due, as soon as its connection is free. What the
// server had no time for until long after the end is not sent, but counts as
// late as it is.
func (r *run) keepPace(ctx context.Context, c *client) error {
	for due := range r.due {
		if ended := r.ended.Load(); ended == 0 || time.Since(time.Unix(0, ended)) < lateness {
			if err := c.exchange(ctx); err != nil {
				return err
			}
		}
		if began := r.began.Load(); began > 0 && due.UnixNano() >= began {
			c.latencies = append(c.latencies, time.Since(due))
		}
	}
	return nil
}
