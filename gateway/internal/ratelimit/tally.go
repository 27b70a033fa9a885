package ratelimit

import "time"

// tally is what this gateway knows of one window. It outlasts an outage of Redis, so that what Redis had
// counted before is not given again, and what this gateway gave meanwhile is counted in Redis after.
type tally struct {
	window window
	limit  int // at the last change
	// empty is the largest limit at which Redis has said that nothing is left. Nothing flows back within a
	// window, so no request passes before the next one, unless the limit is raised.
	empty int
	// used is how many requests of all gateways Redis has counted, by its last answer, and how many of
	// this gateway's it may have counted since.
	used int
	// granted is how many requests this gateway has let through, whoever decided. It never goes over the
	// limit, so not even a Redis that has forgotten the window makes one gateway exceed it.
	granted int
	// alone is how many of these this gateway decided without Redis,
	fallback int
	// and owed how many of those, and of the late ones, Redis has not counted yet.
	unsynced int
	// heard is when Redis last told of this window.
	syncedAt time.Time
}

// isEmpty reports whether it is certain, without asking, that nothing is left at this limit.
func (t *tally) isEmpty(limit int) bool {
	return t.empty >= limit || t.granted >= limit
}

// counted notes that Redis was asked for what is owed and some more, granted so many of both together and
// said what remains. It returns how many requests pass, and what remains for them.
func (t *tally) applyReply(limit, unsynced, granted, remaining int) (pass, left int) {
	if remaining == 0 {
		t.empty = max(t.empty, limit)
	}
	t.limit = limit
	t.used = limit - remaining
	t.unsynced -= unsynced // what was not granted of it cannot be: the window is empty
	room := max(limit-t.granted, 0)
	pass = min(max(granted-unsynced, 0), room)
	t.granted += pass
	return pass, min(remaining, room-pass)
}

// lost notes that Redis was asked for what is owed and has not answered. As it may have counted it, it is
// not asked for it again.
func (t *tally) applyTimeout(unsynced int) {
	t.unsynced -= unsynced
	t.used += unsynced
}

// passAlone notes that requests pass without Redis, which has certainly not counted them if owed.
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

// passLate notes that a request passes and Redis is told later, unless too little is known of the window for that
// or its last request is asked for. It returns what is left.
func (t *tally) passWriteBehind(now time.Time, limit int) (left int, ok bool) {
	left = min(limit-t.used-t.unsynced, limit-t.granted) - 1
	if left < 0 || now.Sub(t.syncedAt) >= writeBehindDelay {
		return 0, false
	}
	t.limit = limit
	t.granted++
	t.unsynced++
	return left, true
}
