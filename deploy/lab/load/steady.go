//go:build linux

package load

import (
	"context"
	"encoding/binary"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// schedule makes requests due at an interval until stop is called. The queue
// holds a whole plan, so the server cannot delay it.
func (r *run) schedule() (stop func(), err error) {
	interval := time.Second / time.Duration(r.plan.Rate)
	planned := int((r.plan.Warmup + r.plan.Length + hangTimeout) / interval)
	r.due = make(chan time.Time, planned)
	start := time.Now()
	ticks, err := newTicks(interval)
	if err != nil {
		return nil, err
	}
	go func() {
		defer close(r.due)
		for passed := 0; passed < planned && r.ended.Load() == 0; {
			n, err := ticks.wait()
			if err != nil {
				return // stopped
			}
			for range min(n, planned-passed) {
				passed++
				r.due <- start.Add(time.Duration(passed) * interval)
			}
		}
	}()
	return func() { _ = ticks.timer.Close() }, nil
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

// ticks come at a fixed interval, without the rounding to milliseconds that idle
// Go timers have.
type ticks struct{ timer *os.File }

func newTicks(interval time.Duration) (*ticks, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	every := unix.NsecToTimespec(interval.Nanoseconds())
	err = unix.TimerfdSettime(fd, 0, &unix.ItimerSpec{Interval: every, Value: every}, nil)
	return &ticks{os.NewFile(uintptr(fd), "timerfd")}, err
}

// wait blocks until the next tick and returns the number of ticks since the last
// wait.
func (t *ticks) wait() (int, error) {
	var count [8]byte
	if _, err := io.ReadFull(t.timer, count[:]); err != nil {
		return 0, err
	}
	return int(binary.NativeEndian.Uint64(count[:])), nil
}
