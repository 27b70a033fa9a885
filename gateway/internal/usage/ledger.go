package usage

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"
)

const (
	shards = 64
	// shardTokens bounds a shard, and so the ledger to about 100,000 tokens.
	shardTokens = 1_600
)

// use is what one token was used for since it was last reported.
type use struct {
	last            time.Time
	passed, refused int64
	address         netip.Addr // of the last request
}

// plus returns both uses as one; the later of them tells when and from where.
func (u use) merge(other use) use {
	if other.last.After(u.last) {
		u.last, u.address = other.last, other.address
	}
	u.passed += other.passed
	u.refused += other.refused
	return u
}

func (u use) requests() int64 { return u.passed + u.refused }

// tokenUse is the use of the token with that id.
type tokenUse struct {
	token string
	use
}

// ledger holds the uses that wait to be reported. Tokens are spread over shards by a seeded hash: requests
// of different tokens hardly ever meet, and those of one hot token meet for a map's lookup.
type ledger struct {
	seed   maphash.Seed
	shards []shard
}

type shard struct {
	mu   sync.Mutex
	uses map[string]use
	// spare is the map that was used before, emptied: with two in turn, a busy token is counted without
	// either growing again.
	spare map[string]use
}

func newLedger() ledger {
	l := ledger{seed: maphash.MakeSeed(), shards: make([]shard, shards)}
	for i := range l.shards {
		l.shards[i].uses, l.shards[i].spare = map[string]use{}, map[string]use{}
	}
	return l
}

// add notes u for token. It reports false, and notes nothing, when too many other tokens wait.
func (l *ledger) add(token string, u use) bool {
	s := &l.shards[maphash.String(l.seed, token)%shards]
	s.mu.Lock()
	defer s.mu.Unlock()
	sum, known := s.uses[token]
	if !known && len(s.uses) >= shardTokens {
		return false
	}
	s.uses[token] = sum.merge(u)
	return true
}

// take returns everything noted and forgets it.
func (l *ledger) take() []tokenUse {
	var all []tokenUse
	for i := range l.shards {
		all = l.shards[i].take(all)
	}
	return all
}

func (s *shard) take(all []tokenUse) []tokenUse {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.uses
	s.uses = s.spare
	for token, u := range taken {
		all = append(all, tokenUse{token, u})
	}
	clear(taken)
	s.spare = taken
	return all
}
