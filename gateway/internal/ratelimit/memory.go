package ratelimit

import (
	"strings"
	"sync"
	"time"
)

// memorySize is the number of token windows in memory, about as many as the introspection cache has entries, and the
// number of all other windows.
const memorySize = 100_000

// tally is what this gateway knows of the window of an id with this length and end. It survives an outage of Redis, so
// that the local fallback does not allow again what Redis had counted.
type tally struct {
	length time.Duration
	end    time.Time
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

// memory holds the tally of the current window of each id, bounded. Those of tokens and of others are apart: a flood of
// client addresses evicts no token's window.
type memory struct {
	size int

	mu             sync.Mutex
	tokens, others map[string]*tally
}

func newMemory(size int) *memory {
	return &memory{size: size, tokens: map[string]*tally{}, others: map[string]*tally{}}
}

// among returns the tallies that that of id is among.
func (m *memory) among(id string) map[string]*tally {
	if strings.Contains(id, ":") {
		return m.others
	}
	return m.tokens
}

// get returns what is known of w until end; the zero tally if nothing is.
func (m *memory) get(w Window, end time.Time) tally {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.among(w.ID)[w.ID]; known != nil && known.length == w.Length && known.end.Equal(end) {
		return *known
	}
	return tally{}
}

// update calls change with the tally of w until end, under its lock.
func (m *memory) update(w Window, end time.Time, change func(*tally)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	tallies := m.among(w.ID)
	known := tallies[w.ID]
	switch {
	case known == nil:
		m.evict(tallies, end.Add(-w.Length))
		known = &tally{length: w.Length, end: end}
		tallies[w.ID] = known
	case known.length != w.Length || !known.end.Equal(end):
		*known = tally{length: w.Length, end: end}
	}
	change(known)
}

// evict makes room for one more tally. It looks at a few random tallies and deletes those that have ended at now; at
// the bound it deletes them in any case.
func (m *memory) evict(tallies map[string]*tally, now time.Time) {
	looked := 0
	for id, known := range tallies {
		if !known.end.After(now) || len(tallies) >= m.size {
			delete(tallies, id)
		}
		if looked++; looked == 4 {
			return
		}
	}
}
