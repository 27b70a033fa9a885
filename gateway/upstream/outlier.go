package upstream

import (
	"math/rand/v2"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// Outlier detection ejects an address whose requests fail consecutively, whatever its health checks report.
const (
	// ejectAfter is the number of consecutive failures: 5xx responses, broken connections and timeouts.
	ejectAfter = 5
	// An ejection lasts minEjection, doubled each time up to maxEjection. It starts again at minEjection when an
	// address did not fail for maxEjection after its return.
	minEjection = 2 * time.Second
	maxEjection = time.Minute
	// slowStart is the time in which a returning address regains its share, starting with slowStartShare.
	slowStart      = 10 * time.Second
	slowStartShare = 0.1
	// penalty is how long a failed request counts as in flight, so that least connections does not prefer an address
	// that fails fast.
	penalty = time.Second
)

// outlier is the outlier detection of one address. Addresses that never failed take no lock.
type outlier struct {
	failures  atomic.Int32 // consecutive
	until     atomic.Int64 // end of the last ejection in Unix nanoseconds; 0: none
	ejections int          // consecutive; guarded by service.ejecting
}

// eject starts an ejection and returns its length. After it, a single failure is enough for the next one.
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

// isEjected reports whether the address is ejected at now.
func (o *outlier) isEjected(now time.Time) bool {
	until := o.until.Load()
	return until != 0 && now.UnixNano() < until
}

// share is the fraction of its requests that the address gets: below 1 only during slow start.
func (o *outlier) share(now time.Time) float64 {
	until := o.until.Load()
	if until == 0 {
		return 1
	}
	return min(1, max(slowStartShare, float64(now.UnixNano()-until)/float64(slowStart)))
}

// pick returns the address for the next request, other than except, or nil if none is usable: among those with the
// best rank the one with the least requests in flight. Equal ones take turns.
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

// rank orders addresses by state, and within a state those last that slow start skips this time.
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

// recordResult records the result of a request to a, and ejects a after ejectAfter failures unless half of the
// addresses are already ejected or unhealthy.
func (s *service) recordResult(a *address, failed bool) {
	if !failed {
		if a.outlier.failures.Load() != 0 { // most requests only read it
			a.outlier.failures.Store(0)
		}
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
