package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// maxCalls is how many script calls go in one pipeline: some milliseconds of Redis's time.
	maxCalls = 512
	// maxQueued is how many script calls may wait for the next pipelines.
	maxQueued = 8 * maxCalls
	// tripSpacing is the time from the beginning of a round trip to that of the next, as a trip costs this
	// machine and Redis much more than one more call in it. Where requests crowd, so that they wait for each other
	// anyway, it is crowdSpacing.
	flushInterval  = 350 * time.Microsecond
	burstInterval = 1500 * time.Microsecond
	// A crowd is this many requests a second for each processor, about half of what one can forward. They are
	// counted for crowdTime at least.
	burstRate     = 3000
	sampleTime = 20 * time.Millisecond
)

var (
	errCallerGone      = errors.New("the caller has left")
	errNotSent   = errors.New("not sent")
	errQueueFull = fmt.Errorf("%w: too many windows are waiting to be counted", errNotSent)
	errSkipped   = fmt.Errorf("%w: the round trip before failed", errNotSent)
	errCircuitOpen      = fmt.Errorf("%w: Redis is left alone since it failed", errNotSent)
)

// batcher carries orders to Redis, one round trip at a time and at most one in tripSpacing, or crowdSpacing. When
// none is under way and none was a moment ago, an order goes at once; what comes in meanwhile goes together in the
// next.
//
// A command that may have reached Redis is never sent again: if its answer is lost, the order has failed.
type batcher struct {
	client  *redis.Client
	clock   *clock
	memory  *memory
	breaker *circuitBreaker

	timeout     time.Duration // of an order
	flushTimeout time.Duration

	mu     sync.Mutex
	flushing   bool      // somebody carries
	nextFlush   time.Time // the earliest time of the next round trip
	sampleStart  time.Time // from which on requests are counted
	sampled   int       // requests since then
	burst bool      // there were many in the time before
	queue  []*batchEntry
	queued map[entryKey]*batchEntry
	writeBehind   map[entryKey]window // of which Redis is to be told
}

func newBatcher(client *redis.Client, clock *clock, memory *memory) *batcher {
	return &batcher{
		client: client, clock: clock, memory: memory,
		timeout: Timeout, flushTimeout: flushTimeout,
		queued: make(map[entryKey]*batchEntry), writeBehind: make(map[entryKey]window),
	}
}

// do asks Redis about w and returns what came of it. Who leaves early, because ctx ends, gets errLeft and is
// counted all the same: the others of its order do not notice, and its unit is spent.
func (b *batcher) count(ctx context.Context, id string, w window, limit, cost int, now time.Time) (slot, error) {
	//nolint:contextcheck // a round trip is for everybody, and does not end with one of them
	own, leader, err := b.enqueue(keyOf(id, w, limit), w, cost, now)
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

// join adds a caller to the order of its window, and tells whether it must carry the queue itself.
func (b *batcher) enqueue(key entryKey, w window, cost int, now time.Time) (own slot, leader bool, err error) {
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
	if cost > 0 {
		own.number = entry.requests
		entry.requests++
	}
	if b.flushing {
		return own, false, nil
	}
	b.flushing = true
	if !now.Before(b.nextFlush) {
		return own, true, nil
	}
	go b.flushLoop()
	return own, false, nil
}

// carry makes one round trip with what is queued, and leaves what came in meanwhile to a goroutine. So a
// caller that found nothing under way waits for its own answer only, and no goroutine is needed for it.
func (b *batcher) flushAsLeader() {
	b.flush()
	if !b.stopIfEmpty() {
		go b.flushLoop()
	}
}

// carryOn makes round trips until the queue is empty.
func (b *batcher) flushLoop() {
	for done := false; !done; done = b.stopIfEmpty() {
		if delay := b.untilNextFlush(); delay > 0 {
			time.Sleep(delay)
		}
		b.flush()
	}
}

// early returns how long the next round trip should wait for more, which it does not when it is full.
func (b *batcher) untilNextFlush() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.queue) >= maxCalls {
		return 0
	}
	return time.Until(b.nextFlush)
}

// rest reports whether the queue is empty, and if so marks the batcher idle.
func (b *batcher) stopIfEmpty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flushing = len(b.queue) > 0
	return !b.flushing
}

// first takes at most n orders from the queue.
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

// space sets when the round trip after one that carries batch may begin.
func (b *batcher) scheduleNext(start time.Time, batch []*batchEntry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, o := range batch {
		b.sampled += max(o.requests, 1)
	}
	if elapsed := start.Sub(b.sampleStart); elapsed >= sampleTime {
		b.burst = float64(b.sampled) >= elapsed.Seconds()*float64(burstRate*runtime.GOMAXPROCS(0))
		b.sampleStart, b.sampled = start, 0
	}
	b.nextFlush = start.Add(flushInterval)
	if b.burst {
		b.nextFlush = start.Add(burstInterval)
	}
}

// trip makes one round trip. When Redis is too slow for it, or has failed once too often, those who have
// come meanwhile are not made to wait for it as well: nothing is sent for them.
func (b *batcher) flush() {
	start := time.Now()
	batch := b.dequeue(maxCalls)
	b.scheduleNext(start, batch)
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
		o.complete(b.memory, end)
	}
	if !end.Before(deadline) || b.breaker.isOpen() {
		for _, o := range b.dequeue(maxQueued) {
			o.err = errSkipped
			o.complete(b.memory, end)
		}
	}
}

// ask carries out batch. It takes another pipeline, before the same deadline, when Redis does not know the
// script or a key has to be repaired.
func (b *batcher) exchange(ctx context.Context, batch []*batchEntry) {
	for _, o := range batch {
		o.unsynced = b.memory.get(o.id, o.window).unsynced
	}
	for pending := slices.Clone(batch); len(pending) > 0; {
		pipe := b.client.Pipeline()
		read := b.clock.syncIn(ctx, pipe)
		pending = slices.DeleteFunc(pending, func(o *batchEntry) bool { return o.advance(ctx, pipe) })
		if len(pending) > 0 {
			_, _ = pipe.Exec(ctx) // each command has its own error
			read()
		}
	}
}

// failure is why a round trip failed. It has not if any order has its answer: what is wrong with the others
// is not wrong with Redis.
func flushError(batch []*batchEntry) error {
	for _, o := range batch {
		if o.err == nil {
			return nil
		}
	}
	return batch[0].err
}
