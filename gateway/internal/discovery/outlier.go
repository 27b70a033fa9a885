package discovery

import (
	"time"

	"go.uber.org/zap"
)

// ejection is how long an address is ejected whose requests fail consecutively, whatever its health checks report.
const ejection = 10 * time.Second

// isEjected reports whether outlier detection ejected the address.
func (a *Address) isEjected(now time.Time) bool { return now.UnixNano() < a.ejectedUntil.Load() }

// Pick returns the address for the next request, other than except, or nil if none is usable: among those with the
// best state the one with the least requests in flight. Equal ones take turns.
func (s *Service) Pick(except *Address) *Address {
	all := *s.addresses.Load()
	now := time.Now()
	var best *Address
	var bestState State
	turn := s.turn.Load()
	if except == nil {
		turn = s.turn.Add(1)
	}
	for i := range uint64(len(all)) {
		a := all[(turn+i)%uint64(len(all))]
		is := a.stateAt(now)
		if a == except || is == Unhealthy {
			continue
		}
		if best == nil || is < bestState || is == bestState && a.inFlight.Load() < best.inFlight.Load() {
			best, bestState = a, is
		}
	}
	return best
}

// Record records the result of a request to a, and ejects a after too many failures in a row unless half of the
// addresses are already ejected or unhealthy. After an ejection a single failure is enough for the next one. A failure
// is a 5xx status, a broken connection or a timeout.
func (a *Address) Record(failed bool) {
	s := a.service
	if !failed {
		if a.failures.Load() != 0 { // most requests only read it
			a.failures.Store(0)
		}
		return
	}
	if int(a.failures.Add(1)) < s.config.EjectAfter {
		return
	}
	now := time.Now()
	s.ejecting.Lock()
	defer s.ejecting.Unlock()
	all, out := *s.addresses.Load(), 0
	for _, other := range all {
		if other != a && other.stateAt(now) >= Ejected {
			out++
		}
	}
	if out >= len(all)/2 || a.isEjected(now) {
		return
	}
	a.failures.Store(int32(s.config.EjectAfter - 1)) //nolint:gosec // G115: a small number
	a.ejectedUntil.Store(now.Add(ejection).UnixNano())
	if s.config.OnEject != nil {
		s.config.OnEject()
	}
	s.logger().Warn("address is ejected", zap.String("address", a.HostPort), zap.Duration("for", ejection))
}
