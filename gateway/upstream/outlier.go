package upstream

import (
	"math/rand/v2"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// Outlier ejection takes an address out whose requests fail one after the other, whatever its health checks say.
const (
	// ejectAfter is how many requests in a row must fail: with a 5xx response, a broken connection or a timeout.
	ejectAfter = 5
	// An ejection lasts ejectFor, and twice as long each time, up to ejectAtMost. An address that did not fail for
	// ejectAtMost after its return begins again.
	minEjection = 2 * time.Second
	maxEjection = time.Minute
	// slowStart is the time in which an address that returns is given its share again, beginning with slowStartShare.
	slowStart      = 10 * time.Second
	slowStartShare = 0.1
	// penalty is how long a failed request counts as in flight, so that an address that fails at once does not look
	// like the one with the fewest requests.
	penalty = time.Second
)

// outlier is what the requests to one address show of it. The fast paths, of addresses that never failed, take no lock.
type outlier struct {
	failures  atomic.Int32 // in a row
	until     atomic.Int64 // the end of the last ejection, in Unix nanoseconds; 0: there was none
	ejections int          // in a row; guarded by service.ejecting
}

// succeeded notes a request that did not fail.
func (o *outlier) recordSuccess() {
	if o.failures.Load() != 0 {
		o.failures.Store(0)
	}
}

// eject begins an ejection and returns its length. The next failure after its end is enough for another one.
func (o *outlier) eject(now time.Time) time.Duration {
	if now.Sub(time.Unix(0, o.until.Load())) > maxEjection {
		o.ejections = 0
	}
	length := min(minEjection<<min(o.ejections, 10), maxEjection)
	o.ejections++
	o.failures.Store(ejectAfter - 1)
	o.until.Store(now.Add(length).UnixNano())
	return length
}

// isEjected reports whether an ejection is in force.
func (o *outlier) isEjected(now time.Time) bool {
	until := o.until.Load()
	return until != 0 && now.UnixNano() < until
}

// share is the part of its requests that an address is given: 1 unless it has returned a moment ago.
func (o *outlier) share(now time.Time) float64 {
	until := o.until.Load()
	if until == 0 {
		return 1
	}
	return min(1, max(slowStartShare, float64(now.UnixNano()-until)/float64(slowStart)))
}

// choose returns the address for the next request, but for one, or nil when none is usable: of those with the best
// state that outlier ejection has not taken out, the one with the fewest requests in flight. Equal ones take turns.
func (s *service) pick(except *address) *address {
	all := *s.addresses.Load()
	now := time.Now()
	var best *address
	var bestRank int
	turn := s.turn.Add(1)
	for i := range uint64(len(all)) {
		a := all[(turn+i)%uint64(len(all))]
		if a == except || a.currentState() == unhealthy {
			continue
		}
		if r := a.rank(now); best == nil || r < bestRank || r == bestRank && a.inFlight.Load() < best.inFlight.Load() {
			best, bestRank = a, r
		}
	}
	return best
}

// rank orders addresses: by state, and within a state those last that slow start passes over this time.
func (a *address) rank(now time.Time) int {
	rank := 2 * int(a.currentState())
	switch {
	case a.outlier.isEjected(now):
		rank = max(rank, 2*int(ejected))
	case a.outlier.until.Load() != 0 && rand.Float64() >= a.outlier.share(now): //nolint:gosec // G404: load balancing
		rank++
	}
	return rank
}

// observe notes the outcome of a request to a, and ejects a when too many have failed, unless half of the addresses
// are ejected or away already.
func (s *service) recordResult(a *address, failed bool) {
	if !failed {
		a.outlier.recordSuccess()
		return
	}
	a.inFlight.Add(1)
	time.AfterFunc(penalty, func() { a.inFlight.Add(-1) })
	if a.outlier.failures.Add(1) < ejectAfter {
		return
	}
	now := time.Now()
	s.ejecting.Lock()
	defer s.ejecting.Unlock()
	all, out := *s.addresses.Load(), 0
	for _, other := range all {
		if other != a && (other.outlier.isEjected(now) || other.currentState() == unhealthy) {
			out++
		}
	}
	if out >= len(all)/2 || a.outlier.isEjected(now) {
		return
	}
	length := a.outlier.eject(now)
	ejectionsTotal.WithLabelValues(s.name).Inc()
	s.logger.Warn("address is ejected", zap.String("address", a.hostPort), zap.Duration("for", length))
}
