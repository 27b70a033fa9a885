package ratelimit

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/quayside/quayside/gateway/internal/outage"
)

const (
	// maxCalls bounds the script calls in one pipeline, and so the time that Redis is busy with it (a few
	// milliseconds).
	maxCalls = 512
	// maxQueued bounds the script calls that wait for the next flushes.
	maxQueued = 8 * maxCalls
)

var (
	errCallerGone  = errors.New("the caller has gone")
	errQueueFull   = errors.New("the queue of the rate limiter is full")
	errSkipped     = errors.New("the previous flush failed")
	errCircuitOpen = errors.New("the circuit breaker is open")
)

// batcher sends batch entries to Redis, one pipeline at a time. An idle batcher flushes immediately; entries that
// arrive during a flush go together in the next one.
//
// A command that may have reached Redis is never sent again: if its reply is lost, the entry has failed.
type batcher struct {
	client  redis.UniversalClient
	memory  *memory
	breaker *circuitBreaker

	timeout      time.Duration // of an entry, from when it was queued
	flushTimeout time.Duration

	mu       sync.Mutex
	flushing bool // a flush is running
	queue    []*batchEntry
	queued   map[entryKey]*batchEntry
}

func newBatcher(client redis.UniversalClient, memory *memory) *batcher {
	return &batcher{
		client: client, memory: memory, breaker: &circuitBreaker{onChange: outage.New("rate limiter").Note},
		timeout: Timeout, flushTimeout: flushTimeout(), queued: make(map[entryKey]*batchEntry),
	}
}

// count adds a request of the window w to the next flush and returns its slot; it takes a unit or only reads what is
// left. If ctx ends first, the error is errCallerGone; the request stays counted and the others of its entry are not
// affected.
func (b *batcher) count(ctx context.Context, id string, w window, limit int, takes bool, now time.Time) (slot, error) {
	// a flush serves all of its callers and does not end with one of them
	own, leader, err := b.enqueue(entryKey{id: id, number: w.number, length: w.length, limit: limit}, w, takes, now)
	switch {
	case err != nil:
		return slot{}, err
	case leader:
		b.flushAsLeader() //nolint:contextcheck // likewise
		return own, own.err
	}
	select {
	case <-own.done:
		return own, own.err
	case <-ctx.Done():
		return slot{}, errCallerGone
	}
}

// enqueue adds a request to the entry of its window. leader reports whether the caller must flush the queue itself.
func (b *batcher) enqueue(key entryKey, w window, takes bool, now time.Time) (own slot, leader bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	entry := b.queued[key]
	if entry == nil {
		if len(b.queue) == maxQueued {
			return slot{}, false, errQueueFull
		}
		entry = newEntry(b.client, key, w, now)
		b.queued[key] = entry
		b.queue = append(b.queue, entry)
	}
	own = slot{entry, -1}
	if takes {
		own.number = entry.requests
		entry.requests++
	}
	leader = !b.flushing
	b.flushing = true
	return own, leader, nil
}

// flushAsLeader flushes the queue in the caller's goroutine and leaves later entries to a goroutine of their own. So
// a request that finds the batcher idle waits only for its own reply.
func (b *batcher) flushAsLeader() {
	b.flush()
	if !b.stopIfEmpty() {
		go b.flushLoop()
	}
}

// flushLoop flushes until the queue is empty.
func (b *batcher) flushLoop() {
	for done := false; !done; done = b.stopIfEmpty() {
		b.flush()
	}
}

// stopIfEmpty reports whether the queue is empty and, if so, marks the batcher idle.
func (b *batcher) stopIfEmpty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flushing = len(b.queue) > 0
	return !b.flushing
}

// dequeue takes at most n entries from the queue.
func (b *batcher) dequeue(n int) []*batchEntry {
	b.mu.Lock()
	defer b.mu.Unlock()
	n = min(n, len(b.queue))
	batch := b.queue[:n:n]
	b.queue = b.queue[n:]
	for _, o := range batch {
		delete(b.queued, o.entryKey)
	}
	return batch
}

// flush sends one batch. If it timed out or opened the circuit breaker, the entries that were queued meanwhile fail
// without being sent, so that their requests do not wait for a second timeout.
func (b *batcher) flush() {
	start := time.Now()
	batch := b.dequeue(maxCalls)
	deadline := start.Add(b.flushTimeout)
	if latest := batch[0].queuedAt.Add(b.timeout); latest.Before(deadline) {
		deadline = latest
	}
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	defer cancel()

	b.exchange(ctx, batch)
	end := time.Now()
	b.breaker.record(flushError(batch))
	observeFlush(batch, end.Sub(start))
	for _, o := range batch {
		o.complete(b.memory)
	}
	if !end.Before(deadline) || b.breaker.isOpen() {
		for _, o := range b.dequeue(maxQueued) {
			o.err = errSkipped
			o.complete(b.memory)
		}
	}
}

// exchange sends batch and reads the replies. It sends another pipeline before the same deadline if Redis does not
// have the script.
func (b *batcher) exchange(ctx context.Context, batch []*batchEntry) {
	for pending := slices.Clone(batch); len(pending) > 0; {
		pipe := b.client.Pipeline()
		pending = slices.DeleteFunc(pending, func(o *batchEntry) bool { return o.advance(ctx, pipe) })
		if len(pending) > 0 {
			_, _ = pipe.Exec(ctx) // each command has its own error
		}
	}
}

// flushError returns the error of a flush. If any entry succeeded, Redis works, and errors of other entries are
// theirs alone.
func flushError(batch []*batchEntry) error {
	for _, o := range batch {
		if o.err == nil {
			return nil
		}
	}
	return batch[0].err
}
