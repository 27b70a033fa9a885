package ratelimit

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// order is what Redis is asked about one window on behalf of all who ask at the same time.
type batchEntry struct {
	entryKey

	window window
	key    string    // of the window in Redis
	queuedAt  time.Time // when the first of them came
	requests  int       // how many of them want to pass; the others only want to know
	unsynced   int       // what this gateway let through alone and Redis is to count now
	script script

	done chan struct{} // closed when what follows is final

	granted   int // how many of takes pass: those that came first
	remaining int // what is left after them
	err       error
}

// orderKey is what callers must have in common to share a script call.
type entryKey struct {
	id     string
	number int64
	length time.Duration
	limit  int
}

func keyOf(id string, w window, limit int) entryKey {
	return entryKey{id: id, number: w.number, length: w.length, limit: limit}
}

func newEntry(client *redis.Client, key entryKey, w window, now time.Time) *batchEntry {
	return &batchEntry{
		entryKey: key, window: w, key: w.key(key.id), queuedAt: now,
		script: script{Client: client, expireAt: w.end().Add(keyGrace)},
		done:   make(chan struct{}),
	}
}

// settle goes as far as it can without a new answer of Redis, and reports whether that is the end.
func (o *batchEntry) advance(ctx context.Context, pipe redis.Pipeliner) bool {
	quota := Quota{Limit: o.limit, Window: o.length}
	counted, err := o.script.run(ctx, pipe, o.key, quota.limit(), o.unsynced+o.requests)
	switch {
	case errors.Is(err, errQueued):
		return false
	case err != nil:
		o.err = err
	default:
		o.granted, o.remaining = counted.Allowed, max(counted.Remaining, 0)
	}
	return true
}

// finish remembers what came of the order and tells those who wait for it.
func (o *batchEntry) complete(m *memory, now time.Time) {
	m.update(o.id, o.window, func(known *tally) {
		switch {
		case o.err == nil:
			o.granted, o.remaining = known.applyReply(o.limit, o.unsynced, o.granted, o.remaining)
			known.syncedAt = now
		case mayBeCounted(o.err):
			known.applyTimeout(o.unsynced)
		}
	})
	close(o.done)
}

// place is one caller's place in an order.
type slot struct {
	*batchEntry

	number int // among those that take, from 0; -1 for one that only wants to know
}

// outcome tells whether the caller passes and what is left in the window after it. Callers that share a
// call are told different numbers, as if each had been counted by itself.
func (p slot) outcome() (allowed bool, remaining int) {
	if p.number < 0 || p.number >= p.granted {
		return false, p.remaining
	}
	return true, p.remaining + p.granted - 1 - p.number
}
