// Package background runs work beside the requests.
package background

import (
	"context"
	"sync"
	"time"
)

// Start begins to run functions. end cancels their context and waits for them.
func Start(ctx context.Context, work ...func(context.Context)) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for _, do := range work {
		running.Go(func() { do(ctx) })
	}
	return func() {
		cancel()
		running.Wait()
	}
}

// Repeat calls pass until ctx ends: at an interval, first after it, and at once when it is notified.
// After a failure it waits for the interval. note is called with the results, except with that of
// a pass which ctx ended.
func Repeat(
	ctx context.Context, every time.Duration, notified <-chan struct{}, note func(error),
	pass func(context.Context) error,
) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for now := notified; ; {
		select {
		case <-ctx.Done():
			return
		case <-now:
		case <-tick.C:
		}
		err := pass(ctx)
		if ctx.Err() == nil {
			note(err)
		}
		if now = notified; err != nil {
			now = nil
		}
	}
}
