// Package limit bounds what is used at once.
package limit

import (
	"context"
	"sync"
)

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

// ended is a context that has.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// TryAcquire acquires n for a key if that is free, which it reports.
func (l *Limit[Key]) TryAcquire(key Key, n int64) bool { return l.Acquire(ended, key, n) }

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
