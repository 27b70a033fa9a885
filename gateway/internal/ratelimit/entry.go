package ratelimit

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// batchEntry is one script call: the requests of one window that are counted together.
type batchEntry struct {
	entryKey

	window   window
	key      string    // of the window in Redis
	queuedAt time.Time // when the first request was added
	requests int       // that take a unit; a Peek takes none
	script   script

	done chan struct{} // closed when the following fields are final

	granted   int // how many of requests are allowed, the first ones
	remaining int // units left after them
	err       error
}

// entryKey is what requests must have in common to share an entry.
type entryKey struct {
	id     string
	number int64
	length time.Duration
	limit  int
}

func newEntry(client redis.UniversalClient, key entryKey, w window, now time.Time) *batchEntry {
	return &batchEntry{
		entryKey: key, window: w, key: w.key(key.id), queuedAt: now,
		script: script{UniversalClient: client, expireAt: w.end().Add(keyGrace)},
		done:   make(chan struct{}),
	}
}

// advance runs the script call as far as the replies allow, and reports whether the entry has its result.
func (o *batchEntry) advance(ctx context.Context, pipe redis.Pipeliner) bool {
	quota := Quota{Limit: o.limit, Window: o.length}
	counted, err := o.script.run(ctx, pipe, o.key, quota.limit(), o.requests)
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

// complete records the result in m and releases the waiting requests.
func (o *batchEntry) complete(m *memory) {
	if o.err == nil {
		m.update(o.id, o.window, func(known *tally) {
			o.granted, o.remaining = known.applyReply(o.limit, o.granted, o.remaining)
		})
	}
	close(o.done)
}

// slot is the position of one request in an entry.
type slot struct {
	*batchEntry

	number int // among the requests that take a unit, from 0; -1 for a Peek
}

// outcome returns whether the request is allowed and what is left after it. Requests that share a call have different
// remaining counts, as if each had been counted by itself.
func (p slot) outcome() (allowed bool, remaining int) {
	if p.number < 0 || p.number >= p.granted {
		return false, p.remaining
	}
	return true, p.remaining + p.granted - 1 - p.number
}
