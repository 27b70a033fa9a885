package introspect

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/quayside/quayside/gateway/internal/introspect/bearer"
)

// Lifetimes of results, counted from the request, or from when they were last confirmed. They bound how long a
// revoked token stays valid and a new one invalid.
const (
	// StreamedLifetime is that of an active result while the change stream is fresh: its last heartbeat is at most
	// [heartbeatTimeout] old.
	StreamedLifetime = 60 * time.Second
	// PositiveLifetime is that of an active result without a fresh stream.
	PositiveLifetime = 10 * time.Second
	// UnconfirmedLifetime is that of an active result while introspection fails (stale-if-error), counted from its
	// last confirmation: the result itself, or a heartbeat while the stream was fresh.
	UnconfirmedLifetime = 60 * time.Second
	// NegativeLifetime is that of an inactive result.
	NegativeLifetime = 5 * time.Second
)

// Sizes of the cache. Inactive results have a bound of their own, so that a flood of invalid tokens does not evict
// active ones, which stay for as long as they are among the last positiveEntries: a token that was active is known.
const (
	positiveEntries = 100_000
	negativeEntries = 10_000
)

// revalidateAfter is how long a stale result is used before the next introspection.
const revalidateAfter = time.Second

// tokenID is the public id in a token, or the digest of a token that has none. Being an array, it does not keep a
// request's memory alive.
type tokenID [bearer.MaxIDLength]byte

// idOf returns the id of a well-formed token.
func (i *Introspector) idOf(token string, digest digest) (id tokenID) {
	if i.format.IDLength == 0 {
		return digest
	}
	copy(id[:], i.format.ID(token))
	return id
}

// digest represents a token in memory.
type digest = [sha256.Size]byte

// digestOf returns token's digest. For texts of a token's length it does not allocate.
func digestOf(token string) digest {
	var text [64]byte
	return sha256.Sum256(append(text[:0], token...))
}

// entry is a cached result.
type entry struct {
	digest      digest // of the whole token: texts with the same id may have other secrets
	result      *Result
	requestedAt time.Time
	// staleUntil is the time, in nanoseconds since requestedAt, until which the result is used stale; 0: it is not.
	staleUntil atomic.Int64
	// refreshedAt is the time, in nanoseconds since requestedAt, of the last attempt to refresh the result; 0: none.
	refreshedAt atomic.Int64
}

// beginRefresh reports whether the result, which is that old, is to be refreshed by the caller: in the second half of
// its lifetime, from a moment on that depends on the token, and at most once in revalidateAfter. Without that, tokens
// that were first used at the same time would expire at the same time.
func (e *entry) beginRefresh(age, lifetime time.Duration) bool {
	spread := lifetime * 2 / 5 * time.Duration(binary.BigEndian.Uint16(e.digest[:])) / math.MaxUint16
	if age < lifetime/2+spread || age >= lifetime {
		return false
	}
	last := e.refreshedAt.Load()
	return (last == 0 || age-time.Duration(last) >= revalidateAfter) && e.refreshedAt.CompareAndSwap(last, int64(age))
}

// flight is an introspection that is in flight.
type flight struct {
	id tokenID
	// supersededBy is the newest revision of the token that arrived meanwhile; 0: none.
	supersededBy int64
}

// cache holds results by token id. It checks lifetimes by the clock given; otter's expiry only frees memory.
//
// A change and a result in flight may arrive in either order. mu orders them: a result that arrives second is not
// stored unless it is as new as the change.
type cache struct {
	positive *otter.Cache[tokenID, *entry]
	negative *otter.Cache[tokenID, *entry]

	mu      sync.Mutex
	flights map[*flight]struct{}
}

func newCache() *cache {
	return &cache{
		positive: otter.Must(&otter.Options[tokenID, *entry]{
			MaximumSize: positiveEntries,
		}),
		negative: otter.Must(&otter.Options[tokenID, *entry]{
			MaximumSize:      negativeEntries,
			ExpiryCalculator: otter.ExpiryWriting[tokenID, *entry](NegativeLifetime),
		}),
		flights: make(map[*flight]struct{}),
	}
}

// get returns the result for the token with that id and digest, whether it may be used at now, and whether the caller
// is to refresh it. Of unusable results it returns only those of tokens that were active when last introspected.
func (c *cache) get(
	id tokenID, digest digest, now time.Time, stream *streamState,
) (result *Result, usable, refresh bool) {
	if known := c.active(id, digest, now); known != nil {
		age, lifetime := now.Sub(known.requestedAt), stream.lifetime(known.requestedAt, now)
		usable = age < max(lifetime, time.Duration(known.staleUntil.Load())) && known.confirmed(now, stream)
		return known.result, usable, known.beginRefresh(age, lifetime)
	}
	if known, ok := c.negative.GetIfPresent(id); ok && known.digest == digest &&
		now.Sub(known.requestedAt) < NegativeLifetime {
		return known.result, true, false
	}
	return nil, false, false
}

// active returns the entry of a token that was active when last introspected and has not expired since, or nil.
func (c *cache) active(id tokenID, digest digest, now time.Time) *entry {
	known, ok := c.positive.GetIfPresent(id)
	if !ok || known.digest != digest || known.result.expiredAt(now) {
		return nil
	}
	return known
}

// confirmed reports whether the result was confirmed within UnconfirmedLifetime.
func (e *entry) confirmed(now time.Time, stream *streamState) bool {
	return now.Sub(stream.confirmedAt(e.requestedAt)) < UnconfirmedLifetime
}

// extendStale makes a stale result usable for revalidateAfter and returns it, or nil if there is none.
func (c *cache) extendStale(id tokenID, digest digest, now time.Time, stream *streamState) *Result {
	known := c.active(id, digest, now)
	if known == nil || !known.confirmed(now, stream) {
		return nil
	}
	known.staleUntil.Store(int64(now.Add(revalidateAfter).Sub(known.requestedAt)))
	return known.result
}

// beginFlight registers an introspection of id.
func (c *cache) beginFlight(id tokenID) *flight {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := &flight{id: id}
	c.flights[f] = struct{}{}
	return f
}

// endFlight stores the result of an introspection sent at requestedAt unless a change superseded it. With a nil
// result it only ends the flight. It reports whether the result is current.
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
	// Requests with a token's id and a wrong secret do not evict the token.
	if known, ok := c.positive.GetIfPresent(f.id); ok && known.digest == digest {
		c.positive.Invalidate(f.id)
	}
	c.negative.Set(f.id, &entry{digest: digest, result: result, requestedAt: requestedAt})
	return true
}

// evict ends the use of results for id that are older than revision.
func (c *cache) evict(id tokenID, revision int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for f := range c.flights {
		if f.id == id {
			f.supersededBy = max(f.supersededBy, revision)
		}
	}
	if known, ok := c.positive.GetIfPresent(id); ok && known.result.Revision < revision {
		c.supersede(id, known)
	}
	c.negative.Invalidate(id)
}

// supersede makes a result unusable. Its token stays known until an introspection says that it is not active.
func (c *cache) supersede(id tokenID, known *entry) {
	c.positive.Set(id, &entry{digest: known.digest, result: known.result})
}

// clear ends the use of all results, including those in flight.
func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for f := range c.flights {
		f.supersededBy = math.MaxInt64
	}
	for id, known := range c.positive.All() {
		c.supersede(id, known)
	}
	c.negative.InvalidateAll()
}

func (c *cache) close() {
	c.positive.StopAllGoroutines()
	c.negative.StopAllGoroutines()
}
