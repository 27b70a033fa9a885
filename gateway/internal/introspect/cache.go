package introspect

import (
	"crypto/sha256"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
)

// How long an answer may be used again, counted from the moment at which it was asked for, or last known to
// be true: this bounds how long a revoked token still passes and a new one may still be refused.
const (
	// FollowedLifetime is that of an active answer while every change is heard of within
	// [HeartbeatTimeout].
	StreamedLifetime = 60 * time.Second
	// PositiveLifetime is that of an active answer otherwise.
	PositiveLifetime = 10 * time.Second
	// UnconfirmedLifetime is that of an active answer while the tokens service cannot be asked, counted from
	// when it last confirmed the answer: by giving it, or by a heartbeat while it was followed.
	UnconfirmedLifetime = 60 * time.Second
	// NegativeLifetime is that of an inactive answer.
	NegativeLifetime = 5 * time.Second
)

// How many answers are remembered. Inactive ones have a bound of their own, so that a flood of made-up
// tokens cannot push good ones out.
const (
	positiveEntries = 100_000
	negativeEntries = 10_000
)

// askAgainAfter is how long an answer that could not be confirmed is used before the next try. During that
// try, and for so long after it became due, nobody waits for it.
const revalidateAfter = time.Second

// digest is what stands for a token's text in memory.
type digest = [sha256.Size]byte

// digestOf returns token's digest. The copy stays on the stack for texts of a token's length.
func digestOf(token string) digest {
	var text [64]byte
	return sha256.Sum256(append(text[:0], token...))
}

// entry is a remembered answer.
type entry struct {
	digest      digest // of the text asked for: of all texts with one id, one is the token
	result      *Result
	requestedAt time.Time
	// held is the time, in nanoseconds since asked, until which the answer is used unconfirmed; 0: it was not
	// held.
	staleUntil atomic.Int64
}

// flight is a question that is under way.
type flight struct {
	id tokenID
	// overtaken is the newest revision of the token that was heard of meanwhile; 0 is none.
	supersededBy int64
}

// cache remembers answers by the id of their token. Lifetimes are checked here, by the clock given; otter's
// own expiry only frees memory.
//
// A change and an answer that is on its way may arrive in either order: mu makes one of them the first. An
// answer that comes second is not remembered unless it is as new as the change.
type cache struct {
	positive *otter.Cache[tokenID, *entry]
	negative *otter.Cache[tokenID, *entry]

	mu      sync.Mutex
	flights map[*flight]struct{}
}

func newCache() *cache {
	return &cache{
		positive: otter.Must(&otter.Options[tokenID, *entry]{
			MaximumSize:      positiveEntries,
			ExpiryCalculator: otter.ExpiryWriting[tokenID, *entry](StreamedLifetime + UnconfirmedLifetime),
		}),
		negative: otter.Must(&otter.Options[tokenID, *entry]{
			MaximumSize:      negativeEntries,
			ExpiryCalculator: otter.ExpiryWriting[tokenID, *entry](NegativeLifetime),
		}),
		flights: make(map[*flight]struct{}),
	}
}

// get returns the answer for the token with that id and digest, and whether it may be used at now. Of the
// others, only active ones are returned.
func (c *cache) get(id tokenID, digest digest, now time.Time, stream *streamState) (result *Result, usable bool) {
	if known := c.confirmed(id, digest, now, stream); known != nil {
		age := now.Sub(known.requestedAt)
		return known.result, age < stream.lifetime(known.requestedAt, now) || age < time.Duration(known.staleUntil.Load())
	}
	if known, ok := c.negative.GetIfPresent(id); ok && known.digest == digest && now.Sub(known.requestedAt) < NegativeLifetime {
		return known.result, true
	}
	return nil, false
}

// trusted returns the entry of an active answer that was confirmed recently enough to be used at all; nil if
// there is none.
func (c *cache) confirmed(id tokenID, digest digest, now time.Time, stream *streamState) *entry {
	known, ok := c.positive.GetIfPresent(id)
	if !ok || known.digest != digest || now.Sub(stream.confirmedAt(known.requestedAt)) >= UnconfirmedLifetime || known.result.expiredAt(now) {
		return nil
	}
	return known
}

// hold lets the answer be used for a moment more, unconfirmed, and returns it; nil if there is none that may
// be.
func (c *cache) extendStale(id tokenID, digest digest, now time.Time, stream *streamState) *Result {
	known := c.confirmed(id, digest, now, stream)
	if known == nil {
		return nil
	}
	known.staleUntil.Store(int64(now.Add(revalidateAfter).Sub(known.requestedAt)))
	return known.result
}

// bridge returns the answer if it was held a moment ago, so that it is known that the tokens service is away,
// and nil otherwise.
func (c *cache) staleIfError(id tokenID, digest digest, now time.Time, stream *streamState) *Result {
	known := c.confirmed(id, digest, now, stream)
	if known == nil {
		return nil
	}
	if held := time.Duration(known.staleUntil.Load()); held == 0 || now.Sub(known.requestedAt) >= held+revalidateAfter {
		return nil
	}
	return known.result
}

// begin notes a question about id.
func (c *cache) beginFlight(id tokenID) *flight {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := &flight{id: id}
	c.flights[f] = struct{}{}
	return f
}

// land ends the question and remembers its answer, asked for at that time, unless a change has overtaken
// it. With a nil answer it only ends the question. It reports whether the answer stands.
func (c *cache) endFlight(f *flight, digest digest, result *Result, requestedAt time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.flights, f)
	if result == nil || f.supersededBy > 0 && (!result.Active || result.Revision < f.supersededBy) {
		return false
	}
	if result.Active {
		c.negative.Invalidate(f.id)
		c.positive.Set(f.id, &entry{digest: digest, result: result, requestedAt: requestedAt})
		return true
	}
	// Who tries wrong secrets with a good token's id does not push the good token out.
	if known, ok := c.positive.GetIfPresent(f.id); ok && known.digest == digest {
		c.positive.Invalidate(f.id)
	}
	c.negative.Set(f.id, &entry{digest: digest, result: result, requestedAt: requestedAt})
	return true
}

// evict forgets what was known of id before that revision.
func (c *cache) evict(id tokenID, revision int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for f := range c.flights {
		if f.id == id {
			f.supersededBy = max(f.supersededBy, revision)
		}
	}
	if known, ok := c.positive.GetIfPresent(id); ok && known.result.Revision < revision {
		c.positive.Invalidate(id)
	}
	c.negative.Invalidate(id)
}

// empty forgets everything, the answers on their way included.
func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for f := range c.flights {
		f.supersededBy = math.MaxInt64
	}
	c.positive.InvalidateAll()
	c.negative.InvalidateAll()
}

func (c *cache) close() {
	c.positive.StopAllGoroutines()
	c.negative.StopAllGoroutines()
}
