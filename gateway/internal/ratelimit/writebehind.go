package ratelimit

import (
	"context"
	"time"
)

// writeBehindDelay is how long after a request Redis is updated at the latest, and how recently Redis must have
// reported on a window for write-behind.
const writeBehindDelay = 100 * time.Millisecond

// TakeWriteBehind is [Limiter.Take] for requests that need no exact count because they are cheap to answer: the first
// request of an id waits for Redis, and again one each 100 ms; those in between are decided by what this gateway
// knows and counted in Redis afterwards.
//
// Each gateway stays within the limit; several together may exceed it until they are synced.
func (l *Limiter) TakeWriteBehind(ctx context.Context, id string, quota Quota) (Result, error) {
	arrived := time.Now()
	if l.breaker.isOpen() || !l.clock.isFresh(arrived) {
		return l.Take(ctx, id, quota)
	}
	result := Result{Quota: quota, Now: l.clock.estimate(arrived), Source: WriteBehind}
	window := windowAt(result.Now, id, quota.Window)
	result.Reset = window.end()
	l.memory.update(id, window, func(known *tally) {
		result.Remaining, result.Allowed = known.passWriteBehind(arrived, quota.Limit)
	})
	if !result.Allowed {
		return l.Take(ctx, id, quota)
	}
	l.batcher.scheduleWriteBehind(keyOf(id, window, quota.Limit), window)
	return result, nil
}

// scheduleWriteBehind queues an update of w's unsynced requests within writeBehindDelay.
func (b *batcher) scheduleWriteBehind(key entryKey, w window) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.writeBehind) == 0 {
		time.AfterFunc(writeBehindDelay, b.queueWriteBehind)
	}
	b.writeBehind[key] = w
}

// queueWriteBehind queues the windows that still have unsynced requests. When the queue is full they are scheduled
// again.
func (b *batcher) queueWriteBehind() {
	b.mu.Lock()
	windows := b.writeBehind
	b.writeBehind = make(map[entryKey]window)
	b.mu.Unlock()
	now, mustCarry := time.Now(), false
	for key, w := range windows {
		if b.memory.get(key.id, w).unsynced == 0 {
			continue
		}
		_, first, err := b.enqueue(key, w, 0, now)
		if mustCarry = mustCarry || first; err != nil {
			b.scheduleWriteBehind(key, w)
		}
	}
	if mustCarry {
		b.flushAsLeader()
	}
}
