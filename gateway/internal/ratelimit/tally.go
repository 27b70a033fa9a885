package ratelimit

// tally is what this gateway knows of one window. It survives an outage of Redis, so that the local fallback does not
// allow again what Redis had counted, and what the fallback allowed is reconciled afterwards.
type tally struct {
	window window
	limit  int // at the last change
	// empty is the largest limit at which Redis reported that nothing is left. Nothing is regained within a window,
	// so it holds until the next one, unless the limit is raised.
	empty int
	// used is the number of requests of all gateways that Redis reported, plus those of this gateway that it may have
	// counted since.
	used int
	// granted is how many requests this gateway allowed, wherever they were decided. It never exceeds the limit, so
	// even if Redis loses its data one gateway stays within the limit.
	granted int
	// fallback is how many of these the local fallback allowed.
	fallback int
	// unsynced is how many requests, allowed by the local fallback, Redis has not counted yet.
	unsynced int
}

// isEmpty reports whether nothing is left at this limit for certain.
func (t *tally) isEmpty(limit int) bool {
	return t.empty >= limit || t.granted >= limit
}

// applyReply applies Redis's reply to a call that asked for unsynced and further requests: it granted so many of all
// and reports what remains. It returns how many of the further requests pass, and what remains for them.
func (t *tally) applyReply(limit, unsynced, granted, remaining int) (pass, left int) {
	if remaining == 0 {
		t.empty = max(t.empty, limit)
	}
	t.limit = limit
	t.used = limit - remaining
	t.synced(unsynced) // the part that was not granted never can be: the window is empty
	room := max(limit-t.granted, 0)
	pass = min(max(granted-unsynced, 0), room)
	t.granted += pass
	return pass, min(remaining, room-pass)
}

// applyTimeout applies a call without a reply. Redis may have counted the unsynced requests, so they are not sent
// again.
func (t *tally) applyTimeout(unsynced int) {
	t.synced(unsynced)
	t.used += unsynced
}

// synced notes that unsynced requests were sent. A window that moves to another master may send some twice.
func (t *tally) synced(unsynced int) { t.unsynced = max(t.unsynced-unsynced, 0) }

// passFallback notes requests that the local fallback allowed. unsynced: Redis has certainly not counted them.
func (t *tally) passFallback(limit, requests int, unsynced bool) {
	t.limit = limit
	t.granted += requests
	t.fallback += requests
	if unsynced {
		t.unsynced += requests
	} else {
		t.used += requests
	}
}
