package upstream

import "sync/atomic"

// state is the health of an address, as connections and health checks show it. A request goes to an address with the
// first state in this order; ejected addresses come after suspect ones.
type state int32

const (
	// good addresses passed their last health check.
	healthy state = iota
	// recovering addresses passed their last health check, but were not good a moment ago.
	recovering
	// unknown addresses were not checked yet.
	unknown
	// suspect addresses are not ready, or did not answer two health checks in time. They are used when no address is
	// better: if all are, the fault may be on this machine.
	suspect
	// ejected is no health state: it ranks addresses that outlier ejection has taken out, see outlier.
	ejected
	// away addresses refuse connections, or break that of a health check. They are not used.
	unhealthy
)

const (
	// recovery is how many health checks in a row must pass before an address that was not good is good again, so that
	// one that flaps is not used while there are others.
	healthyAfter = 3
	// misses is how many health checks in a row must time out before an address is suspect.
	suspectAfter = 2
)

func (s state) String() string {
	return [...]string{"good", "recovering", "unknown", "suspect", "ejected", "away"}[s]
}

// address is one of a service's.
type address struct {
	hostPort string
	state    atomic.Int32
	passes   atomic.Int32 // health checks in a row that passed since it was not good
	timeouts atomic.Int32 // health checks in a row that timed out
	inFlight atomic.Int64 // requests whose response is not read to its end, and recent failures
	outlier  outlier
	conns    pool
}

func (a *address) currentState() state { return state(a.state.Load()) }

// become sets the state of a, and returns the one before.
func (a *address) setState(s state) (before state) { return state(a.state.Swap(int32(s))) }

// passed returns the state of a after a health check that passed.
func (a *address) afterPass() state {
	a.timeouts.Store(0)
	if current := a.currentState(); current == unknown || current == healthy || a.passes.Add(1) >= healthyAfter {
		return healthy
	}
	return recovering
}

// timedOut returns the state of a after a health check that timed out.
func (a *address) afterTimeout() state {
	if current := a.currentState(); a.timeouts.Add(1) < suspectAfter && current != unknown {
		return current
	}
	return suspect
}
