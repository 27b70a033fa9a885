//go:build linux

package load

import (
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// schedule makes requests due at an interval until the run has ended. The queue holds a whole plan, so the server
// cannot delay it. It sleeps in the kernel: the timers of an idle Go program are rounded to milliseconds.
func (r *run) schedule() {
	interval := time.Second / time.Duration(r.plan.Rate)
	planned := int((r.plan.Warmup + r.plan.Length + hangTimeout) / interval)
	r.due = make(chan time.Time, planned)
	go func() {
		defer close(r.due)
		due := time.Now()
		for n := 0; n < planned && r.ended.Load() == 0; n++ {
			due = due.Add(interval)
			if left := time.Until(due); left > 0 {
				pause := unix.NsecToTimespec(left.Nanoseconds())
				_ = unix.Nanosleep(&pause, nil) // a signal makes one request early
			}
			r.due <- due
		}
	}()
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
