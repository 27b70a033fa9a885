package ratelimit

// tally is what this gateway knows of one window. It survives an outage of Redis, so that the local fallback does not
// allow again what Redis had counted.
type tally struct {
	window window
	// empty is the largest limit at which Redis reported that nothing is left. Nothing is regained within a window,
	// so it holds until the next one, unless the limit is raised.
	empty int
	// used is the number of requests of all gateways that Redis last reported.
	used int
	// granted is how many requests this gateway allowed, wherever they were decided. It never exceeds the limit, so
	// even if Redis loses its data one gateway stays within the limit.
	granted int
	// fallback is how many of these the local fallback allowed.
	fallback int
}

// isEmpty reports whether nothing is left at this limit for certain.
func (t *tally) isEmpty(limit int) bool {
	return t.empty >= limit || t.granted >= limit
}

// applyReply applies Redis's reply to a call: it granted so many requests and reports what remains. It returns how many
// of them pass, and what remains for them.
func (t *tally) applyReply(limit, granted, remaining int) (pass, left int) {
	if remaining == 0 {
		t.empty = max(t.empty, limit)
	}
	t.used = limit - remaining
	room := max(limit-t.granted, 0)
	pass = min(granted, room)
	t.granted += pass
	return pass, min(remaining, room-pass)
}
