package introspect

import (
	"crypto/sha256"
	"time"

	"github.com/maypok86/otter/v2"
)

// How long an answer may be used again: this bounds how long a revoked token still passes and a new one
// may still be refused.
const (
	PositiveLifetime = 10 * time.Second
	NegativeLifetime = 5 * time.Second
)

// How many answers are remembered. Inactive ones have a bound of their own, so that a flood of made-up
// tokens cannot push good ones out.
const (
	positiveEntries = 100_000
	negativeEntries = 10_000
)

type key = [sha256.Size]byte

// keyOf is what stands for token in memory. The copy stays on the stack for texts of a token's length.
func keyOf(token string) key {
	var text [64]byte
	return sha256.Sum256(append(text[:0], token...))
}

type entry struct {
	answer *Answer
	until  time.Time
}

// cache remembers answers. The lifetimes are checked here, by the clock given; otter's own expiry only
// frees memory.
type cache struct {
	now      func() time.Time
	positive *otter.Cache[key, entry]
	negative *otter.Cache[key, entry]
}

func newCache(now func() time.Time) *cache {
	return &cache{
		now: now,
		positive: otter.Must(&otter.Options[key, entry]{
			MaximumSize:      positiveEntries,
			ExpiryCalculator: otter.ExpiryWriting[key, entry](PositiveLifetime),
		}),
		negative: otter.Must(&otter.Options[key, entry]{
			MaximumSize:      negativeEntries,
			ExpiryCalculator: otter.ExpiryWriting[key, entry](NegativeLifetime),
		}),
	}
}

func (c *cache) get(k key) (*Answer, bool) {
	found, ok := c.positive.GetIfPresent(k)
	if !ok {
		found, ok = c.negative.GetIfPresent(k)
	}
	if !ok || !c.now().Before(found.until) {
		return nil, false
	}
	return found.answer, true
}

// put remembers answer and forgets what was known before, so that a token is in one cache at most.
func (c *cache) put(k key, answer *Answer) {
	now := c.now()
	if !answer.Active {
		c.positive.Invalidate(k)
		c.negative.Set(k, entry{answer, now.Add(NegativeLifetime)})
		return
	}
	until := now.Add(PositiveLifetime)
	if end := answer.ExpiresAt; !end.IsZero() && end.Before(until) {
		until = end
	}
	c.negative.Invalidate(k)
	c.positive.Set(k, entry{answer, until})
}

func (c *cache) close() {
	c.positive.StopAllGoroutines()
	c.negative.StopAllGoroutines()
}
