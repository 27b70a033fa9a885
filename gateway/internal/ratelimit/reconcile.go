package ratelimit

import (
	"context"
	"crypto/rand"
	"slices"
	"time"
)

// comeBack tries whether Redis works again. If so, it tells Redis what this gateway has let through
// meanwhile, before anybody asks for more.
func (b *batcher) reconcile(ctx context.Context) error {
	if err := b.clock.sync(ctx); err != nil {
		return err
	}
	now := b.clock.estimate(time.Now())

	// A window that nobody uses, because a Redis that answers may still refuse to write.
	id := "probe:" + rand.Text()
	probe := b.emptyEntry(id, windowAt(now, id, time.Second), 1)
	probe.requests = 1
	if err := b.sync(ctx, []*batchEntry{probe}); err != nil {
		return err
	}

	var unsynced []*batchEntry
	b.memory.each(func(id string, known tally) {
		if known.unsynced > 0 && known.window.end().After(now) {
			unsynced = append(unsynced, b.emptyEntry(id, known.window, known.limit))
		}
	})
	for batch := range slices.Chunk(unsynced, maxCalls) {
		if err := b.sync(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// inform makes a round trip for nobody that waits.
func (b *batcher) sync(ctx context.Context, batch []*batchEntry) error {
	ctx, cancel := context.WithTimeout(ctx, b.flushTimeout)
	defer cancel()
	b.exchange(ctx, batch)
	end := time.Now()
	for _, o := range batch {
		o.complete(b.memory, end)
	}
	return flushError(batch)
}

func (b *batcher) emptyEntry(id string, w window, limit int) *batchEntry {
	return newEntry(b.client, keyOf(id, w, limit), w, time.Now())
}
