package main

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// load is the running load: each kind at its own rate, independent of responses.
type load struct {
	topology *topology
	stopping context.CancelFunc
	pending  sync.WaitGroup
	paused   atomic.Bool

	acknowledged atomic.Int64 // number of creates

	mu      sync.Mutex
	samples []sample
}

// A create without an acknowledgement is retried with its Idempotency-Key. One
// of repeatOneOf acknowledged creates is repeated, as if its response was lost.
const (
	tryAgainAfter = time.Second
	tries         = 5
	repeatOneOf   = 5
)

func startLoad(ctx context.Context, r *topology) *load {
	ticking, stop := context.WithCancel(ctx)
	l := &load{topology: r, stopping: stop}
	for _, k := range kinds {
		l.pending.Go(func() {
			tick := time.NewTicker(time.Second / time.Duration(k.rate))
			defer tick.Stop()
			for {
				select {
				case <-ticking.Done():
					return
				case <-tick.C:
				}
				if l.paused.Load() {
					continue
				}
				l.pending.Go(func() { l.call(ctx, ticking, k) })
			}
		})
	}
	return l
}

// call sends one request of a kind, and retries if it is a create.
func (l *load) call(ctx, ticking context.Context, k kind) {
	a := k.make(l.topology)
	s := l.once(ctx, k.name, a)
	if k.name != kindCreate {
		return
	}
	if s.status == http.StatusCreated {
		if l.acknowledged.Add(1)%repeatOneOf == 0 {
			l.once(ctx, kindRepeat, a)
		}
		return
	}
	for range tries {
		wait(ticking, tryAgainAfter)
		if ticking.Err() != nil || l.once(ctx, kindRepeat, a).passed() {
			return
		}
	}
}

func (l *load) once(ctx context.Context, kind string, a call) sample {
	s, _ := l.topology.client.do(ctx, a)
	s.kind = kind
	l.mu.Lock()
	defer l.mu.Unlock()
	l.samples = append(l.samples, s)
	return s
}

// lastFailure returns when the last failed request of a customer began, and when
// the last request ended; zero if there is none.
func (l *load) lastFailure() (failed, last time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.samples {
		if s.end().After(last) {
			last = s.end()
		}
		if s.start.After(failed) && kindOf(s.kind).client && s.failed() {
			failed = s.start
		}
	}
	return failed, last
}

// stop ends the load, waits for every response and returns all samples.
func (l *load) stop() []sample {
	l.stopping()
	l.pending.Wait()
	return l.samples
}
