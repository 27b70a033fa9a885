package ratelimit

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"

	"github.com/quayside/quayside/gateway/internal/caddy/gatelog"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/outage"
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
	errPanicked    = errors.New("the rate limiter panicked")
	errSkipped     = errors.New("the previous flush failed")
	errCircuitOpen = errors.New("the circuit breaker is open")
)

// batcher sends script calls to Redis, one pipeline at a time. An idle batcher flushes immediately; calls that arrive
// during a flush go together in the next one.
//
// A command that may have reached Redis is never sent again: if its reply is lost, the call has failed.
type batcher struct {
	client  redis.UniversalClient
	clock   *clock
	memory  *memory
	breaker *circuitBreaker

	timeout      time.Duration // of a call, from when it was queued
	flushTimeout time.Duration

	mu       sync.Mutex
	flushing bool // a flush is running
	queue    []*call
	queued   map[Window]*call
}

func newBatcher(client redis.UniversalClient, clock *clock, memory *memory) *batcher {
	return &batcher{
		client: client, clock: clock, memory: memory,
		breaker: &circuitBreaker{onChange: outage.New(gatelog.Slog, "rate limiter").Note},
		timeout: Timeout, flushTimeout: flushTimeout(), queued: make(map[Window]*call),
	}
}

// call is one script call: the requests of one window that are counted together.
type call struct {
	Window

	queuedAt time.Time // when the first request was added
	requests int

	now, end time.Time // Redis's time at the flush, and the end of the window then
	reply    *redis.Cmd

	done      chan struct{} // closed when the following fields are final
	granted   int           // how many of requests are allowed, the first ones
	remaining int           // units left after them
	err       error
}

// outcome returns whether the request with that number, from 0, is allowed and what is left after it. Requests that
// share a call have different remaining counts, as if each had been counted by itself.
func (c *call) outcome(number int) (allowed bool, remaining int) {
	if number >= c.granted {
		return false, c.remaining
	}
	return true, c.remaining + c.granted - 1 - number
}

// count adds a request to the next flush and returns its call and its number there. If ctx ends first, the error is
// errCallerGone; the request stays counted and the others of its call are not affected.
func (b *batcher) count(ctx context.Context, w Window, now time.Time) (own *call, number int, err error) {
	own, number, leader := b.enqueue(w, now)
	switch {
	case own == nil:
		return nil, 0, errQueueFull
	case leader: // a flush serves all of its callers and does not end with one of them
		b.flushAsLeader() //nolint:contextcheck // likewise
		return own, number, own.err
	}
	select {
	case <-own.done:
		return own, number, own.err
	case <-ctx.Done():
		return nil, 0, errCallerGone
	}
}

// enqueue adds a request to the call of its window; the call is nil if the queue is full. leader reports whether the
// caller must flush the queue itself.
func (b *batcher) enqueue(w Window, now time.Time) (own *call, number int, leader bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	own = b.queued[w]
	if own == nil {
		if len(b.queue) == maxQueued {
			return nil, 0, false
		}
		own = &call{Window: w, queuedAt: now, done: make(chan struct{})}
		b.queued[w] = own
		b.queue = append(b.queue, own)
	}
	number = own.requests
	own.requests++
	leader = !b.flushing
	b.flushing = true
	return own, number, leader
}

// flushAsLeader flushes the queue in the caller's goroutine and leaves later calls to a goroutine of their own. So a
// request that finds the batcher idle waits only for its own reply.
func (b *batcher) flushAsLeader() {
	b.flush()
	if !b.stopIfEmpty() {
		go func() {
			for done := false; !done; done = b.stopIfEmpty() {
				b.flush()
			}
		}()
	}
}

// stopIfEmpty reports whether the queue is empty and, if so, marks the batcher idle.
func (b *batcher) stopIfEmpty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flushing = len(b.queue) > 0
	return !b.flushing
}

// dequeue takes at most n calls from the queue.
func (b *batcher) dequeue(n int) []*call {
	b.mu.Lock()
	defer b.mu.Unlock()
	n = min(n, len(b.queue))
	batch := b.queue[:n:n]
	b.queue = b.queue[n:]
	for _, c := range batch {
		delete(b.queued, c.Window)
	}
	return batch
}

// flush sends one batch. If it timed out or opened the circuit breaker, the calls that were queued meanwhile fail
// without being sent, so that their requests do not wait for a second timeout.
func (b *batcher) flush() {
	runtime.Gosched() // requests that can run now join the batch
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
	flushSeconds.Observe(end.Sub(start).Seconds())
	for _, c := range batch {
		b.complete(c)
	}
	if !end.Before(deadline) || b.breaker.isOpen() {
		for _, c := range b.dequeue(maxQueued) {
			c.err = errSkipped
			b.complete(c)
		}
	}
}

// exchange sends the calls in one pipeline and reads the replies, in the windows of Redis's time. It sends another
// pipeline before the same deadline if Redis does not have the script. A panic fails the batch only: its requests and
// all later ones would otherwise wait for ever.
func (b *batcher) exchange(ctx context.Context, batch []*call) {
	defer func() {
		if reason := recover(); reason != nil {
			gatelog.Zap().Error("the rate limiter panicked", zap.Any("reason", reason), zap.Stack("stack"))
			for _, c := range batch {
				c.err = errPanicked
			}
		}
	}()
	err := b.clock.refresh(ctx, b.client)
	now := b.clock.now()
	for _, c := range batch {
		c.now, c.end, c.err = now, c.Window.end(now), err
	}
	if err != nil {
		return
	}
	for pending := batch; len(pending) > 0; {
		pipe := b.client.Pipeline()
		for _, c := range pending {
			c.send(ctx, pipe)
		}
		_, _ = pipe.Exec(ctx) // each command has its own error
		pending = slices.DeleteFunc(slices.Clone(pending), func(c *call) bool { return !c.needsText() })
	}
	for _, c := range batch {
		c.read()
	}
}

// flushError returns the error of a flush. If any call succeeded, Redis works, and errors of other calls are theirs
// alone.
func flushError(batch []*call) error {
	for _, c := range batch {
		if c.err == nil {
			return nil
		}
	}
	return batch[0].err
}

// complete records the result and releases the waiting requests.
func (b *batcher) complete(c *call) {
	if c.err == nil {
		b.memory.update(c.Window, c.end, func(known *tally) {
			c.granted, c.remaining = known.applyReply(c.Limit, c.granted, c.remaining)
		})
	}
	close(c.done)
}
