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
	maxFailures = 3
	// probeEvery is how long it is left alone between two probes, give or take a tenth, so that many
	// gateways do not come back at the same moment.
	probeInterval = time.Second
)

// breaker tells whether Redis is worth asking. While it is open no request waits for Redis: one probe at a
// time finds out when it works again.
type circuitBreaker struct {
	probe   func(context.Context) error
	onChange func(cause error) // called at each change, in order: why it opened, or nil

	open     atomic.Bool
	mu       sync.Mutex
	failures int
	closing  context.Context //nolint:containedctx // ends the probing when the breaker's owner is closed
	close    context.CancelFunc
}

func newCircuitBreaker(probe func(context.Context) error, onChange func(cause error)) *circuitBreaker {
	b := &circuitBreaker{probe: probe, onChange: onChange}
	b.closing, b.close = context.WithCancel(context.Background())
	return b
}

func (b *circuitBreaker) isOpen() bool { return b.open.Load() }

// note takes how a round trip ended. What was under way when the breaker opened changes nothing.
func (b *circuitBreaker) record(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.open.Load():
	case err == nil:
		b.failures = 0
	default:
		if b.failures++; b.failures == maxFailures {
			b.open.Store(true)
			b.onChange(err)
			go b.probeLoop()
		}
	}
}

// mend probes until a probe succeeds, and closes the breaker.
func (b *circuitBreaker) probeLoop() {
	circuitBreakersOpen.Inc()
	defer circuitBreakersOpen.Dec()
	for {
		wait := time.NewTimer(probeInterval*9/10 + rand.N(probeInterval/5)) //nolint:gosec // not a secret
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
			b.onChange(nil)
			return
		}
	}
}
