package ratelimit

import (
	"strings"
	"sync"
)

// memorySize is the number of token windows in memory, about as many as the introspection cache has entries, and the
// number of all other windows.
const memorySize = 100_000

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
func (t *tally) isEmpty(limit int) bool { return t.empty >= limit || t.granted >= limit }

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

// memory holds the current window of each id, bounded. Tokens and other ids are apart: a flood of client addresses
// evicts no token's window.
type memory struct {
	size           int
	tokens, others tallies
}

type tallies struct {
	mu   sync.Mutex
	byID map[string]*tally
}

func newMemory(size int) *memory {
	return &memory{
		size: size, tokens: tallies{byID: make(map[string]*tally)}, others: tallies{byID: make(map[string]*tally)},
	}
}

// of returns the tallies that id is among.
func (m *memory) of(id string) *tallies {
	if strings.Contains(id, ":") {
		return &m.others
	}
	return &m.tokens
}

// get returns what is known of w; the zero tally if nothing is.
func (m *memory) get(id string, w window) tally {
	t := m.of(id)
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.byID[id]; known != nil && known.window == w {
		return *known
	}
	return tally{window: w}
}

// update calls change with the tally of w, under its lock.
func (m *memory) update(id string, w window, change func(*tally)) {
	t := m.of(id)
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.byID[id]
	switch {
	case known == nil:
		t.evict(w, m.size)
		known = &tally{window: w}
		t.byID[id] = known
	case known.window != w:
		*known = tally{window: w}
	}
	change(known)
}

// evict makes room for one more tally. It looks at a few random tallies and deletes those whose window has ended when
// now begins; at the bound it deletes them in any case.
func (t *tallies) evict(now window, size int) {
	looked := 0
	for id, known := range t.byID {
		if !known.window.end().After(now.end().Add(-now.length)) || len(t.byID) >= size {
			delete(t.byID, id)
		}
		if looked++; looked == 4 {
			return
		}
	}
}
