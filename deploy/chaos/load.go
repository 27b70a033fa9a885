package chaos

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// load is the steady load while it runs: each kind at its own rate, whether
// or not the answers come.
type load struct {
	rig      *rig
	stopping context.CancelFunc
	asking   sync.WaitGroup
	paused   atomic.Bool

	acknowledged atomic.Int64 // creates

	mu      sync.Mutex
	samples []sample
}

// A create that was not acknowledged is tried again, as a good client would,
// with its Idempotency-Key; and one acknowledged of so many is repeated, as
// if its answer had been lost.
const (
	tryAgainAfter = time.Second
	tries         = 5
	repeatOneOf   = 5
)

func startLoad(ctx context.Context, r *rig) *load {
	ticking, stop := context.WithCancel(ctx)
	l := &load{rig: r, stopping: stop}
	for _, k := range kinds {
		l.asking.Go(func() {
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
				l.asking.Go(func() { l.ask(ctx, ticking, k) })
			}
		})
	}
	return l
}

// ask makes one request of a kind, and what follows from its answer.
func (l *load) ask(ctx, ticking context.Context, k kind) {
	a := k.make(l.rig)
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

func (l *load) once(ctx context.Context, kind string, a ask) sample {
	s, _ := l.rig.client.do(ctx, a)
	s.kind = kind
	l.mu.Lock()
	defer l.mu.Unlock()
	l.samples = append(l.samples, s)
	return s
}

// lastFailure tells when the last failed request of a client was begun, and
// when the load's last request ended; zero when there was none.
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

// stop ends the load, waits for every answer and returns them all.
func (l *load) stop() []sample {
	l.stopping()
	l.asking.Wait()
	return l.samples
}
