package ratelimit

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// breakAfter is how many round trips in a row must fail for Redis to be left alone.
	breakAfter = 3
	// probeEvery is how long it is left alone between two probes, give or take a tenth, so that many
	// gateways do not come back at the same moment.
	probeEvery = time.Second
)

// breaker tells whether Redis is worth asking. While it is open no request waits for Redis: one probe at a
// time finds out when it works again.
type breaker struct {
	probe   func(context.Context) error
	changed func(cause error) // called at each change, in order: why it opened, or nil

	open     atomic.Bool
	mu       sync.Mutex
	failures int
	closing  context.Context //nolint:containedctx // ends the probing when the breaker's owner is closed
	close    context.CancelFunc
}

func newBreaker(probe func(context.Context) error, changed func(cause error)) *breaker {
	b := &breaker{probe: probe, changed: changed}
	b.closing, b.close = context.WithCancel(context.Background())
	return b
}

func (b *breaker) isOpen() bool { return b.open.Load() }

// note takes how a round trip ended. What was under way when the breaker opened changes nothing.
func (b *breaker) note(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.open.Load():
	case err == nil:
		b.failures = 0
	default:
		if b.failures++; b.failures == breakAfter {
			b.open.Store(true)
			b.changed(err)
			go b.mend()
		}
	}
}

// mend probes until a probe succeeds, and closes the breaker.
func (b *breaker) mend() {
	breakersOpen.Inc()
	defer breakersOpen.Dec()
	for {
		wait := time.NewTimer(probeEvery*9/10 + rand.N(probeEvery/5)) //nolint:gosec // not a secret
		select {
		case <-b.closing.Done():
			wait.Stop()
			return
		case <-wait.C:
		}
		if b.probe(b.closing) == nil {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.failures = 0
			b.open.Store(false)
			b.changed(nil)
			return
		}
	}
}
