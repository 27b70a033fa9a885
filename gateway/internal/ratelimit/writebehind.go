package ratelimit

import (
	"context"
	"time"
)

// lateness is how much later than a request Redis may hear of it, and how long ago it may have told of a window
// for requests to be late.
const writeBehindDelay = 100 * time.Millisecond

// TakeLate is [Limiter.Take] for a request that need not be counted exactly, because it is cheap to answer whether
// it passes or not. Who makes many of them waits for Redis with the first, and again each 100 ms: what passes in
// between is counted against what this gateway knows of the window, and in Redis within that time.
//
// Several gateways can so let more than the limit through together, as long as they have not heard of each other.
// Each keeps to the limit by itself.
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

// tellLater sees to it that Redis is told within lateness what it is owed of w.
func (b *batcher) scheduleWriteBehind(key entryKey, w window) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.writeBehind) == 0 {
		time.AfterFunc(writeBehindDelay, b.queueWriteBehind)
	}
	b.writeBehind[key] = w
}

// tell queues what is late by now, if nobody has told Redis of it since. What does not fit follows later.
func (b *batcher) queueWriteBehind() {
	b.mu.Lock()
	late := b.writeBehind
	b.writeBehind = make(map[entryKey]window)
	b.mu.Unlock()
	now, mustCarry := time.Now(), false
	for key, w := range late {
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
