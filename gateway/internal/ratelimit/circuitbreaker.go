package ratelimit

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxFailures is how many flushes in a row must fail for the circuit breaker to open.
	maxFailures = 3
	// probeInterval is the time between two probes of an open circuit breaker, ±10 % so that gateways do not
	// reconnect in step.
	probeInterval = time.Second
)

// circuitBreaker stops calls to Redis after errors. While it is open no request waits for Redis. There is no
// half-open state in which requests are tried: a background probe closes the circuit breaker when it succeeds.
type circuitBreaker struct {
	probe    func(context.Context) error
	onChange func(cause error) // called at each change in order: the error that opened it, or nil when it closes

	open     atomic.Bool
	mu       sync.Mutex
	failures int
	closing  context.Context //nolint:containedctx // ends the probes
	close    context.CancelFunc
}

func newCircuitBreaker(probe func(context.Context) error, onChange func(cause error)) *circuitBreaker {
	b := &circuitBreaker{probe: probe, onChange: onChange}
	b.closing, b.close = context.WithCancel(context.Background())
	return b
}

func (b *circuitBreaker) isOpen() bool { return b.open.Load() }

// record counts the result of a flush. Flushes that began before the circuit breaker opened change nothing.
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

// probeLoop probes until one succeeds, then closes the circuit breaker.
func (b *circuitBreaker) probeLoop() {
	circuitBreakersOpen.Inc()
	defer circuitBreakersOpen.Dec()
	for {
		wait := time.NewTimer(probeInterval*9/10 + rand.N(probeInterval/5)) //nolint:gosec // jitter, not a secret
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
