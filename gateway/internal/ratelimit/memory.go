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
	if known := shard.tallies[id]; known != nil && known.window.is(w) {
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
	case !known.window.is(w):
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
		over := !known.window.end().After(now.end().Add(-now.length))
		if over || len(s.tallies) >= size {
			delete(s.tallies, id)
		}
		if looked++; looked == 4 {
			return
		}
	}
}
