// Package poll repeats background work.
package poll

import (
	"context"
	"time"
)

// Run calls pass until ctx ends: at an interval, first after it, and at once when it is notified.
// After a failure it waits for the interval. note is called with the results, except with that of
// a pass which ctx ended.
func Run(
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
