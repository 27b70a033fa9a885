package load

import (
	"context"
	"time"

	"github.com/quayside/quayside/deploy/bench/kernel"
)

// schedule makes requests due at an interval until stop is called. The queue
// holds a whole plan, so the server cannot delay it.
func (r *run) schedule() (stop func(), err error) {
	interval := time.Second / time.Duration(r.plan.Rate)
	planned := int((r.plan.Warmup + r.plan.Length + hangTimeout) / interval)
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

// grace is how long after the end overdue requests are still sent.
const grace = time.Second

// sendDue sends overdue requests as soon as its connection is free. Requests that
// are not sent within grace count with the latency they have by then.
func (r *run) sendDue(ctx context.Context, c *client) error {
	for due := range r.due {
		if ended := r.ended.Load(); ended == 0 || time.Since(time.Unix(0, ended)) < grace {
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
