package ratelimit

import (
	"context"
	"crypto/rand"
	"slices"
	"time"
)

// reconcile is the circuit breaker's probe. It checks that the master can count, and counts there what the local
// fallback allowed during the outage, before new requests are counted.
func (b *batcher) reconcile(ctx context.Context) error {
	now := b.nodes.clock.estimate()

	// Counting in an unused window: a Redis that replies may still refuse writes. The part in braces decides which node
	// of a cluster has the key: that of the window that could not be counted.
	b.mu.Lock()
	id := "probe:" + rand.Text() + "{" + redisPrefix + b.failed + "}"
	b.mu.Unlock()
	probe := b.emptyEntry(id, windowAt(now, id, time.Second), 1)
	probe.requests = 1
	if err := b.sync(ctx, []*batchEntry{probe}); err != nil {
		return err
	}

	for batch := range slices.Chunk(b.unsyncedEntries(ctx, now), maxCalls) {
		if err := b.sync(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// unsyncedEntries returns an entry for each window that has unsynced requests and has not ended at now, except those of
// another master that does not reply either.
func (b *batcher) unsyncedEntries(ctx context.Context, now time.Time) (unsynced []*batchEntry) {
	b.nodes.memory.each(func(id string, known tally) {
		if known.unsynced == 0 || !known.window.end().After(now) {
			return
		}
		if of := b.nodes.of(ctx, id, known.window); of == b || !of.breaker.isOpen() {
			unsynced = append(unsynced, b.emptyEntry(id, known.window, known.limit))
		}
	})
	return unsynced
}

// sync exchanges a batch that no request waits for.
func (b *batcher) sync(ctx context.Context, batch []*batchEntry) error {
	ctx, cancel := context.WithTimeout(ctx, b.nodes.flushTimeout)
	defer cancel()
	b.exchange(ctx, batch)
	for _, o := range batch {
		o.complete(b.nodes.memory)
	}
	return flushError(batch)
}

func (b *batcher) emptyEntry(id string, w window, limit int) *batchEntry {
	return newEntry(b.nodes.client, keyOf(id, w, limit), w, time.Now())
}
