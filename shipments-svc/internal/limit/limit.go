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

// TryAcquire acquires n for a key if that is free, which it reports.
func (l *Limit[Key]) TryAcquire(key Key, n int64) bool {
	acquired, _ := l.acquire(key, n)
	return acquired
}

// Acquire acquires n for a key, or reports that it was not free before ctx ended.
func (l *Limit[Key]) Acquire(ctx context.Context, key Key, n int64) bool {
	for {
		acquired, freed := l.acquire(key, n)
		if acquired {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-freed:
		}
	}
}

func (l *Limit[Key]) acquire(key Key, n int64) (acquired bool, freed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used+n > l.all || l.by[key]+n > l.each {
		return false, l.freed
	}
	l.used += n
	l.by[key] += n
	return true, nil
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
