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

// use is the unreported usage of a token.
type use struct {
	last            time.Time
	passed, refused int64
	address         netip.Addr // of the last request
}

// merge returns the sum; time and address are those of the later use.
func (u use) merge(other use) use {
	if other.last.After(u.last) {
		u.last, u.address = other.last, other.address
	}
	u.passed += other.passed
	u.refused += other.refused
	return u
}

func (u use) requests() int64 { return u.passed + u.refused }

// tokenUse is the usage of the token with that id.
type tokenUse struct {
	token string
	use
}

// ledger holds unreported usage. Tokens are spread over shards by a seeded hash to avoid lock contention.
type ledger struct {
	seed   maphash.Seed
	shards []shard
}

type shard struct {
	mu   sync.Mutex
	uses map[string]use
	// spare is the emptied map of the previous report: with two maps in turn, counting a known token allocates
	// nothing.
	spare map[string]use
}

func newLedger() ledger {
	l := ledger{seed: maphash.MakeSeed(), shards: make([]shard, shards)}
	for i := range l.shards {
		l.shards[i].uses, l.shards[i].spare = map[string]use{}, map[string]use{}
	}
	return l
}

// add adds u to token's usage. It reports false if the shard is full of other tokens.
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

// take removes and returns all usage.
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
