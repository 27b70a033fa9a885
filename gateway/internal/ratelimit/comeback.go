package ratelimit

import (
	"context"
	"crypto/rand"
	"slices"
	"time"
)

// comeBack tries whether Redis works again. If so, it tells Redis what this gateway has let through
// meanwhile, before anybody asks for more.
func (b *batcher) comeBack(ctx context.Context) error {
	if err := b.clock.read(ctx); err != nil {
		return err
	}
	now := b.clock.estimate(time.Now())

	// A window that nobody uses, because a Redis that answers may still refuse to write.
	id := "probe:" + rand.Text()
	try := b.orderOf(id, windowAt(now, id, time.Second), 1)
	try.takes = 1
	if err := b.inform(ctx, []*order{try}); err != nil {
		return err
	}

	var owing []*order
	b.memory.each(func(id string, known tally) {
		if known.owed > 0 && known.window.end().After(now) {
			owing = append(owing, b.orderOf(id, known.window, known.limit))
		}
	})
	for batch := range slices.Chunk(owing, maxCalls) {
		if err := b.inform(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// inform makes a round trip for nobody that waits.
func (b *batcher) inform(ctx context.Context, batch []*order) error {
	ctx, cancel := context.WithTimeout(ctx, b.tripTimeout)
	defer cancel()
	b.ask(ctx, batch)
	end := time.Now()
	for _, o := range batch {
		o.finish(b.memory, end)
	}
	return failure(batch)
}

func (b *batcher) orderOf(id string, w window, limit int) *order {
	return newOrder(b.client, keyOf(id, w, limit), w, time.Now())
}
