package ratelimit

import "context"

// TakeLocal is [Limiter.Take] for a window of this gateway alone. It makes no call and never fails. Memory is bounded
// as for all windows.
func (l *Limiter) TakeLocal(_ context.Context, id string, quota Quota) (Result, error) {
	now := l.clock.estimate()
	window := windowAt(now, id, quota.Window)
	result := Result{Quota: quota, Reset: window.end(), Now: now, Source: Local}
	l.memory.update(id, window, func(known *tally) {
		if result.Allowed = known.granted < quota.Limit; result.Allowed {
			known.granted++
		}
		result.Remaining = quota.Limit - known.granted
	})
	return result, nil
}
