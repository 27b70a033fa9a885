package usage

import (
	"net/netip"
	"sync"
	"time"
)

// maxTokens bounds the ledger.
const maxTokens = 100_000

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

// ledger holds unreported usage.
type ledger struct {
	mu   sync.Mutex
	uses map[string]use
}

func newLedger() *ledger { return &ledger{uses: map[string]use{}} }

// add adds u to token's usage. It reports false if the ledger is full of other tokens.
func (l *ledger) add(token string, u use) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	sum, known := l.uses[token]
	if !known && len(l.uses) >= maxTokens {
		return false
	}
	l.uses[token] = sum.merge(u)
	return true
}

// take removes and returns all usage.
func (l *ledger) take() []tokenUse {
	l.mu.Lock()
	taken := l.uses
	l.uses = make(map[string]use, len(taken)) // about as many are used until the next report
	l.mu.Unlock()
	all := make([]tokenUse, 0, len(taken))
	for token, u := range taken {
		all = append(all, tokenUse{token, u})
	}
	return all
}
