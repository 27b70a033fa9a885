package discovery

import (
	"math/rand/v2"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// Outlier detection ejects an address whose requests fail consecutively, whatever its health checks report.
const (
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
	ejections int          // consecutive; guarded by Service.ejecting
}

// eject starts an ejection after so many failures, and returns its length. After it, a single failure is enough for
// the next one.
func (o *outlier) eject(now time.Time, after int) time.Duration {
	if now.Sub(time.Unix(0, o.until.Load())) > maxEjection {
		o.ejections = 0
	}
	length := min(minEjection<<min(o.ejections, 10), maxEjection)
	o.ejections++
	o.failures.Store(int32(after - 1)) //nolint:gosec // G115: a small number
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

// Pick returns the address for the next request, other than except, or nil if none is usable: among those with the
// best rank the one with the least requests in flight. Equal ones take turns.
func (s *Service) Pick(except *Address) *Address {
	all := *s.addresses.Load()
	now := time.Now()
	var best *Address
	var bestRank int
	turn := s.turn.Load()
	if except == nil {
		turn = s.turn.Add(1)
	}
	for i := range uint64(len(all)) {
		a := all[(turn+i)%uint64(len(all))]
		if a == except || a.currentState() == Unhealthy {
			continue
		}
		if r := a.rank(now); best == nil || r < bestRank || r == bestRank && a.inFlight.Load() < best.inFlight.Load() {
			best, bestRank = a, r
		}
	}
	return best
}

// rank orders addresses by state, and within a state those last that slow start skips this time.
func (a *Address) rank(now time.Time) int {
	rank := 2 * int(a.currentState())
	switch {
	case a.outlier.isEjected(now):
		rank = max(rank, 2*int(Ejected))
	case a.outlier.until.Load() != 0 && rand.Float64() >= a.outlier.share(now): //nolint:gosec // G404: load balancing
		rank++
	}
	return rank
}

// Record records the result of a request to a, and ejects a after too many failures unless half of the addresses are
// already ejected or unhealthy. A failure is a 5xx status, a broken connection or a timeout.
func (a *Address) Record(failed bool) {
	s := a.service
	if !failed {
		if a.outlier.failures.Load() != 0 { // most requests only read it
			a.outlier.failures.Store(0)
		}
		return
	}
	a.inFlight.Add(1)
	time.AfterFunc(penalty, func() { a.inFlight.Add(-1) })
	if int(a.outlier.failures.Add(1)) < s.config.EjectAfter {
		return
	}
	now := time.Now()
	s.ejecting.Lock()
	defer s.ejecting.Unlock()
	all, out := *s.addresses.Load(), 0
	for _, other := range all {
		if other != a && (other.outlier.isEjected(now) || other.currentState() == Unhealthy) {
			out++
		}
	}
	if out >= len(all)/2 || a.outlier.isEjected(now) {
		return
	}
	length := a.outlier.eject(now, s.config.EjectAfter)
	if s.config.OnEject != nil {
		s.config.OnEject()
	}
	s.logger().Warn("address is ejected", zap.String("address", a.HostPort), zap.Duration("for", length))
}
