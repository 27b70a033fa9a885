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
	tripSpacing  = 350 * time.Microsecond
	crowdSpacing = 1500 * time.Microsecond
	// A crowd is this many requests a second for each processor, about half of what one can forward. They are
	// counted for crowdTime at least.
	crowd     = 3000
	crowdTime = 20 * time.Millisecond
)

var (
	errLeft      = errors.New("the caller has left")
	errNotSent   = errors.New("not sent")
	errQueueFull = fmt.Errorf("%w: too many windows are waiting to be counted", errNotSent)
	errSkipped   = fmt.Errorf("%w: the round trip before failed", errNotSent)
	errOpen      = fmt.Errorf("%w: Redis is left alone since it failed", errNotSent)
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
	breaker *breaker

	timeout     time.Duration // of an order
	tripTimeout time.Duration

	mu     sync.Mutex
	busy   bool      // somebody carries
	next   time.Time // the earliest time of the next round trip
	since  time.Time // from which on requests are counted
	seen   int       // requests since then
	crowds bool      // there were many in the time before
	queue  []*order
	queued map[orderKey]*order
	late   map[orderKey]window // of which Redis is to be told
}

func newBatcher(client *redis.Client, clock *clock, memory *memory) *batcher {
	return &batcher{
		client: client, clock: clock, memory: memory,
		timeout: Timeout, tripTimeout: tripTimeout,
		queued: make(map[orderKey]*order), late: make(map[orderKey]window),
	}
}

// do asks Redis about w and returns what came of it. Who leaves early, because ctx ends, gets errLeft and is
// counted all the same: the others of its order do not notice, and its unit is spent.
func (b *batcher) do(ctx context.Context, id string, w window, limit, cost int, now time.Time) (place, error) {
	//nolint:contextcheck // a round trip is for everybody, and does not end with one of them
	mine, mustCarry, err := b.join(keyOf(id, w, limit), w, cost, now)
	switch {
	case err != nil:
		return place{}, err
	case mustCarry:
		b.carry() //nolint:contextcheck // likewise
		return mine, mine.err
	}
	select {
	case <-mine.done:
		return mine, mine.err
	case <-ctx.Done():
		return place{}, errLeft
	}
}

// join adds a caller to the order of its window, and tells whether it must carry the queue itself.
func (b *batcher) join(key orderKey, w window, cost int, now time.Time) (mine place, mustCarry bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	joined := b.queued[key]
	if joined == nil {
		if len(b.queue) == maxQueued {
			return place{}, false, errQueueFull
		}
		joined = newOrder(b.client, key, w, now)
		b.queued[key] = joined
		b.queue = append(b.queue, joined)
	}
	mine = place{joined, -1}
	if cost > 0 {
		mine.number = joined.takes
		joined.takes++
	}
	if b.busy {
		return mine, false, nil
	}
	b.busy = true
	if !now.Before(b.next) {
		return mine, true, nil
	}
	go b.carryOn()
	return mine, false, nil
}

// carry makes one round trip with what is queued, and leaves what came in meanwhile to a goroutine. So a
// caller that found nothing under way waits for its own answer only, and no goroutine is needed for it.
func (b *batcher) carry() {
	b.trip()
	if !b.rest() {
		go b.carryOn()
	}
}

// carryOn makes round trips until the queue is empty.
func (b *batcher) carryOn() {
	for done := false; !done; done = b.rest() {
		if early := b.early(); early > 0 {
			time.Sleep(early)
		}
		b.trip()
	}
}

// early returns how long the next round trip should wait for more, which it does not when it is full.
func (b *batcher) early() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.queue) >= maxCalls {
		return 0
	}
	return time.Until(b.next)
}

// rest reports whether the queue is empty, and if so marks the batcher idle.
func (b *batcher) rest() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.busy = len(b.queue) > 0
	return !b.busy
}

// first takes at most n orders from the queue.
func (b *batcher) first(n int) []*order {
	b.mu.Lock()
	defer b.mu.Unlock()
	n = min(n, len(b.queue))
	batch := b.queue[:n:n]
	b.queue = b.queue[n:]
	for _, o := range batch {
		delete(b.queued, o.orderKey)
	}
	return batch
}

// space sets when the round trip after one that carries batch may begin.
func (b *batcher) space(start time.Time, batch []*order) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, o := range batch {
		b.seen += max(o.takes, 1)
	}
	if passed := start.Sub(b.since); passed >= crowdTime {
		b.crowds = float64(b.seen) >= passed.Seconds()*float64(crowd*runtime.GOMAXPROCS(0))
		b.since, b.seen = start, 0
	}
	b.next = start.Add(tripSpacing)
	if b.crowds {
		b.next = start.Add(crowdSpacing)
	}
}

// trip makes one round trip. When Redis is too slow for it, or has failed once too often, those who have
// come meanwhile are not made to wait for it as well: nothing is sent for them.
func (b *batcher) trip() {
	start := time.Now()
	batch := b.first(maxCalls)
	b.space(start, batch)
	deadline := start.Add(b.tripTimeout)
	if latest := batch[0].since.Add(b.timeout); latest.Before(deadline) {
		deadline = latest
	}
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	defer cancel()

	b.ask(ctx, batch)
	end := time.Now()
	b.breaker.note(failure(batch))
	observeTrip(batch, end.Sub(start))
	for _, o := range batch {
		o.finish(b.memory, end)
	}
	if !end.Before(deadline) || b.breaker.isOpen() {
		for _, o := range b.first(maxQueued) {
			o.err = errSkipped
			o.finish(b.memory, end)
		}
	}
}

// ask carries out batch. It takes another pipeline, before the same deadline, when Redis does not know the
// script or a key has to be repaired.
func (b *batcher) ask(ctx context.Context, batch []*order) {
	for _, o := range batch {
		o.owed = b.memory.recall(o.id, o.window).owed
	}
	for open := slices.Clone(batch); len(open) > 0; {
		pipe := b.client.Pipeline()
		read := b.clock.readIn(ctx, pipe)
		open = slices.DeleteFunc(open, func(o *order) bool { return o.settle(ctx, pipe) })
		if len(open) > 0 {
			_, _ = pipe.Exec(ctx) // each command has its own error
			read()
		}
	}
}

// failure is why a round trip failed. It has not if any order has its answer: what is wrong with the others
// is not wrong with Redis.
func failure(batch []*order) error {
	for _, o := range batch {
		if o.err == nil {
			return nil
		}
	}
	return batch[0].err
}
