package main

import (
	"context"
	"errors"
	"time"
)

// injection injects a fault and returns what removes it.
type injection func(context.Context, *topology, *observation) (recovery, error)

type recovery func(context.Context) error

// on injects a fault into links.
func on(names []string, worse func(*link) error, better func(context.Context, *link) error) injection {
	return func(_ context.Context, r *topology, _ *observation) (recovery, error) {
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

// unplugged closes connections and refuses new ones.
func unplugged(names ...string) injection {
	return on(names, (*link).unplug, func(_ context.Context, l *link) error { return l.plug() })
}

func poisoned(names []string, all ...toxic) injection {
	return on(names, func(l *link) error {
		for _, t := range all {
			if err := l.addToxic(t); err != nil {
				return err
			}
		}
		return nil
	}, func(ctx context.Context, l *link) error { return l.removeToxics(ctx) })
}

// slowed delays every response.
func slowed(by time.Duration, names ...string) injection {
	return poisoned(names, toxic{
		Type: "latency", Stream: "downstream", Attributes: map[string]any{"latency": by.Milliseconds()},
	})
}

// hung accepts connections and bytes and never responds.
func hung(names ...string) injection {
	return poisoned(names,
		toxic{Type: "timeout", Stream: "upstream", Attributes: map[string]any{"timeout": 0}},
		toxic{Type: "timeout", Stream: "downstream", Attributes: map[string]any{"timeout": 0}})
}

// statusLine is about the length of the first line of a response.
const statusLine = 16

// garbled corrupts the first bytes of each segment of a response.
func garbled(bytes int, names ...string) injection {
	return poisoned(names, toxic{
		Type: "garbage", Stream: "downstream", Attributes: map[string]any{"bytes": bytes},
	})
}

// cutShort closes each connection after so many bytes of responses.
func cutShort(bytes int, names ...string) injection {
	return poisoned(names, toxic{
		Type: "limit_data", Stream: "downstream", Attributes: map[string]any{"bytes": bytes},
	})
}

// sliced sends responses in small segments.
func sliced(names ...string) injection {
	return poisoned(names, toxic{Type: "slicer", Stream: "downstream", Attributes: map[string]any{
		"average_size": 24, "size_variation": 8, "delay": 200,
	}})
}

// Durations of a flapping link's states.
const (
	flapDown = 400 * time.Millisecond
	flapUp   = 600 * time.Millisecond
)

// flapping unplugs and plugs links until it is removed.
func flapping(names ...string) injection {
	return func(ctx context.Context, r *topology, o *observation) (recovery, error) {
		return repeated(ctx, flapUp, func(flap context.Context) error {
			restore, err := unplugged(names...)(flap, r, o)
			wait(flap, flapDown)
			return errors.Join(err, restore(ctx))
		}), nil
	}
}

// wait waits for a duration that is part of a fault or of the load.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
