package ratelimit

import (
	"strings"
	"sync"
)

const (
	// memorySize is how many windows of tokens are remembered, about as many as the cache of introspections
	// holds, and how many of everything else.
	memorySize = 100_000
	// memoryShards is how many locks these share.
	memoryShards = 16
)

// memory remembers the current window of the ids that were seen last, within bounds. Tokens and others
// are kept apart: whoever comes from ever new addresses pushes out no token's window.
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

// recall returns what is known of w, which may be nothing.
func (m *memory) get(id string, w window) tally {
	shard := m.shard(id, w)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	if known := shard.tallies[id]; known != nil && known.window.is(w) {
		return *known
	}
	return tally{window: w}
}

// update calls change with what is known of w, to be changed.
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

// each calls see with all that is known.
func (m *memory) each(see func(id string, known tally)) {
	for i := range m.shards {
		shard := &m.shards[i]
		shard.mu.Lock()
		for id, known := range shard.tallies {
			see(id, *known)
		}
		shard.mu.Unlock()
	}
}

func (m *memory) shard(id string, w window) *memoryShard {
	index := w.hash % memoryShards
	if strings.IndexByte(id, ':') >= 0 {
		index += memoryShards
	}
	return &m.shards[index]
}

// forget makes room for one more tally. A few taken at random go if their window is over when now begins,
// which over many calls is most of those; from a shard of size one goes in any case.
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
