// Package limit bounds what is used at once.
//
// Guarantees: no key has all of it; a request that does not get its part within Timeout is refused
// with ErrBusy; what a request got it keeps until it has ended, for a client that closes the
// connection ends neither parsing nor reading.
package limit

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Timeout is how long a request waits to enter a Limit. It and the method's timeout are
// less than the gateway waits for an answer (answer_within in its routes).
const Timeout = 3 * time.Second

// ErrBusy means that a request did not enter a Limit in time.
var ErrBusy = errors.New("too many large requests are being processed")

// Limit bounds what is used at once, in all and by each key, so that no key has all of it. It is
// safe for concurrent use.
type Limit[Key comparable] struct {
	all, each int64

	mu    sync.Mutex
	used  int64
	by    map[Key]int64 // of used, without those that have none
	freed chan struct{} // closed when something is released
}

// New returns a Limit of so much, of which each key may have so much.
func New[Key comparable](all, each int64) *Limit[Key] {
	return &Limit[Key]{all: all, each: each, by: map[Key]int64{}, freed: make(chan struct{})}
}

// TryAcquire acquires n for a key if that is free, which it reports.
func (l *Limit[Key]) TryAcquire(key Key, n int64) bool {
	ended, end := context.WithCancel(context.Background())
	end()
	return l.Acquire(ended, key, n)
}

// Acquire acquires n for a key, or reports that it was not free before ctx ended.
func (l *Limit[Key]) Acquire(ctx context.Context, key Key, n int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.used+n > l.all || l.by[key]+n > l.each {
		freed := l.freed
		l.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-freed:
		}
		l.mu.Lock()
		if ctx.Err() != nil {
			return false
		}
	}
	l.used += n
	l.by[key] += n
	return true
}

// Release releases n of what was acquired for a key.
func (l *Limit[Key]) Release(key Key, n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used -= n
	if l.by[key] -= n; l.by[key] == 0 {
		delete(l.by, key)
	}
	close(l.freed)
	l.freed = make(chan struct{})
}

// request is what a request entered.
type request struct {
	entered  []any
	releases []func()
}

type requestKey struct{}

// Begin returns the context of a request that enters Limits. end leaves them.
func Begin(ctx context.Context) (_ context.Context, end func()) {
	r := &request{}
	return context.WithValue(ctx, requestKey{}, r), func() {
		for _, release := range r.releases {
			release()
		}
	}
}

// Enter acquires n for a key until the request of a context that Begin returned has ended, or
// returns ErrBusy. A request enters once; work that is no request's is not bounded.
func (l *Limit[Key]) Enter(ctx context.Context, key Key, n int64) error {
	r, ok := ctx.Value(requestKey{}).(*request)
	if !ok || slices.Contains(r.entered, any(l)) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	if !l.Acquire(ctx, key, n) {
		return ErrBusy
	}
	r.entered, r.releases = append(r.entered, l), append(r.releases, func() { l.Release(key, n) })
	return nil
}
