package ratelimit

import (
	"context"
	"crypto/rand"
	"slices"
	"time"
)

// reconcile is the circuit breaker's probe. It checks that Redis can count, and counts there what the local fallback
// allowed during the outage, before new requests are counted.
func (b *batcher) reconcile(ctx context.Context) error {
	if err := b.clock.sync(ctx); err != nil {
		return err
	}
	now := b.clock.estimate(time.Now())

	// Counting in an unused window: a Redis that replies to TIME may still refuse writes.
	id := "probe:" + rand.Text()
	probe := b.emptyEntry(id, windowAt(now, id, time.Second), 1)
	probe.requests = 1
	if err := b.sync(ctx, []*batchEntry{probe}); err != nil {
		return err
	}

	for batch := range slices.Chunk(b.unsyncedEntries(now), maxCalls) {
		if err := b.sync(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// unsyncedEntries returns an entry for each window that has unsynced requests and has not ended at now.
func (b *batcher) unsyncedEntries(now time.Time) (unsynced []*batchEntry) {
	b.memory.each(func(id string, known tally) {
		if known.unsynced > 0 && known.window.end().After(now) {
			unsynced = append(unsynced, b.emptyEntry(id, known.window, known.limit))
		}
	})
	return unsynced
}

// sync exchanges a batch that no request waits for.
func (b *batcher) sync(ctx context.Context, batch []*batchEntry) error {
	ctx, cancel := context.WithTimeout(ctx, b.flushTimeout)
	defer cancel()
	b.exchange(ctx, batch)
	for _, o := range batch {
		o.complete(b.memory)
	}
	return flushError(batch)
}

func (b *batcher) emptyEntry(id string, w window, limit int) *batchEntry {
	return newEntry(b.client, keyOf(id, w, limit), w, time.Now())
}
