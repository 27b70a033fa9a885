package ratelimit

import (
	"strings"
	"sync"
)

const (
	// memorySize is the number of token windows in memory, about as many as the introspection cache has entries, and
	// the number of all other windows.
	memorySize = 100_000
	// memoryShards is the number of locks for each of the two kinds.
	memoryShards = 16
)

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

// memory holds the current window of each id, bounded. Tokens and other ids have separate shards: a flood of client
// addresses evicts no token's window.
type memory struct {
	shardSize int
	shards    [2 * memoryShards]memoryShard
}

type memoryShard struct {
	mu      sync.Mutex
	tallies map[string]*tally
}

func newMemory(size int) *memory {
	m := &memory{shardSize: size / memoryShards}
	for i := range m.shards {
		m.shards[i].tallies = make(map[string]*tally)
	}
	return m
}

// get returns what is known of w; the zero tally if nothing is.
func (m *memory) get(id string, w window) tally {
	shard := m.shard(id, w)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	if known := shard.tallies[id]; known != nil && known.window == w {
		return *known
	}
	return tally{window: w}
}

// update calls change with the tally of w, under its lock.
func (m *memory) update(id string, w window, change func(*tally)) {
	shard := m.shard(id, w)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	known := shard.tallies[id]
	switch {
	case known == nil:
		shard.evict(w, m.shardSize)
		known = &tally{window: w}
		shard.tallies[id] = known
	case known.window != w:
		*known = tally{window: w}
	}
	change(known)
}

func (m *memory) shard(id string, w window) *memoryShard {
	index := w.hash % memoryShards
	if strings.Contains(id, ":") {
		index += memoryShards
	}
	return &m.shards[index]
}

// evict makes room for one more tally. It looks at a few random tallies and deletes those whose window has ended when
// now begins; a full shard deletes them in any case.
func (s *memoryShard) evict(now window, size int) {
	looked := 0
	for id, known := range s.tallies {
		if !known.window.end().After(now.end().Add(-now.length)) || len(s.tallies) >= size {
			delete(s.tallies, id)
		}
		if looked++; looked == 4 {
			return
		}
	}
}
