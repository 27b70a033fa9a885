package chaos

import (
	"context"
	"errors"
	"sync"
	"time"
)

// strike makes one thing bad and returns what makes it good again.
type strike func(context.Context, *rig, *observation) (heal, error)

type heal func(context.Context) error

// on is a strike on links.
func on(names []string, worse func(*link) error, better func(context.Context, *link) error) strike {
	return func(_ context.Context, r *rig, _ *observation) (heal, error) {
		var errs []error
		for _, name := range names {
			errs = append(errs, worse(r.network.links[name]))
		}
		return func(ctx context.Context) error {
			var errs []error
			for _, name := range names {
				errs = append(errs, better(ctx, r.network.links[name]))
			}
			return errors.Join(errs...)
		}, errors.Join(errs...)
	}
}

// unplugged cuts the connections; new ones are refused.
func unplugged(names ...string) strike {
	return on(names, (*link).unplug, func(_ context.Context, l *link) error { return l.plug() })
}

func poisoned(names []string, all ...toxic) strike {
	return on(names, func(l *link) error {
		for _, t := range all {
			if err := l.poison(t); err != nil {
				return err
			}
		}
		return nil
	}, func(ctx context.Context, l *link) error { return l.cure(ctx) })
}

// slowed lets every answer wait.
func slowed(by time.Duration, names ...string) strike {
	return poisoned(names, toxic{
		Type: "latency", Stream: "downstream", Attributes: map[string]any{"latency": by.Milliseconds()},
	})
}

// hung accepts connections and bytes, and answers nothing: a black hole.
func hung(names ...string) strike {
	return poisoned(names,
		toxic{Type: "timeout", Stream: "upstream", Attributes: map[string]any{"timeout": 0}},
		toxic{Type: "timeout", Stream: "downstream", Attributes: map[string]any{"timeout": 0}})
}

// statusLine is about as long as the first line of an answer.
const statusLine = 16

// garbled spoils the first bytes of each piece of an answer.
func garbled(bytes int, names ...string) strike {
	return poisoned(names, toxic{
		Type: "garbage", Stream: "downstream", Attributes: map[string]any{"bytes": bytes},
	})
}

// cutShort ends each connection after so many bytes of answers.
func cutShort(bytes int, names ...string) strike {
	return poisoned(names, toxic{
		Type: "limit_data", Stream: "downstream", Attributes: map[string]any{"bytes": bytes},
	})
}

// sliced sends answers in small pieces: correct, but never whole in one read.
func sliced(names ...string) strike {
	return poisoned(names, toxic{Type: "slicer", Stream: "downstream", Attributes: map[string]any{
		"average_size": 24, "size_variation": 8, "delay": 200,
	}})
}

// How a flapping link goes and comes.
const (
	flapDown = 400 * time.Millisecond
	flapUp   = 600 * time.Millisecond
)

// flapping unplugs and plugs until it is healed, and is left plugged.
func flapping(names ...string) strike {
	return func(ctx context.Context, r *rig, o *observation) (heal, error) {
		ctx, cancel := context.WithCancel(ctx)
		var flaps sync.WaitGroup
		var failed error
		flaps.Go(func() {
			for failed == nil && ctx.Err() == nil {
				restore, err := unplugged(names...)(ctx, r, o)
				wait(ctx, flapDown)
				failed = errors.Join(err, restore(ctx))
				wait(ctx, flapUp)
			}
		})
		return func(context.Context) error {
			cancel()
			flaps.Wait()
			return failed
		}, nil
	}
}

// wait lets a duration pass that is part of a fault or of a load.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
