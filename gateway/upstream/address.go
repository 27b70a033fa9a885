package upstream

import "sync/atomic"

// state is the health of an address. Requests go to the addresses with the first state in this order; ejected
// addresses come after suspect ones.
type state int32

const (
	// healthy addresses passed their last health check.
	healthy state = iota
	// recovering addresses passed their last health check, but not yet healthyAfter in a row.
	recovering
	// unknown addresses were not checked yet.
	unknown
	// suspect addresses are not ready, or timed out in two health checks. They are used when there is no better
	// address: if all time out, the cause may be this machine.
	suspect
	// ejected is not set by health checks: it ranks addresses that outlier detection ejected.
	ejected
	// unhealthy addresses refuse connections, or broke the connection of a health check. They are not used.
	unhealthy
)

const (
	// healthyAfter is how many health checks in a row an address must pass to become healthy again, so that a
	// flapping address is not used while there are others.
	healthyAfter = 3
	// suspectAfter is how many health checks in a row must time out for an address to become suspect.
	suspectAfter = 2
)

func (s state) String() string {
	return [...]string{"healthy", "recovering", "unknown", "suspect", "ejected", "unhealthy"}[s]
}

// address is one IP address of a service.
type address struct {
	hostPort string
	state    atomic.Int32
	passes   atomic.Int32 // consecutive health checks that passed since it was not healthy
	timeouts atomic.Int32 // consecutive health checks that timed out
	inFlight atomic.Int64 // requests whose response is not read to its end, and recent failures
	outlier  outlier
	conns    pool
}

func (a *address) currentState() state { return state(a.state.Load()) }

// setState sets the state of a and returns the previous one.
func (a *address) setState(s state) (before state) { return state(a.state.Swap(int32(s))) }

// afterPass returns the state of a after a health check that passed.
func (a *address) afterPass() state {
	a.timeouts.Store(0)
	if current := a.currentState(); current == unknown || current == healthy || a.passes.Add(1) >= healthyAfter {
		return healthy
	}
	return recovering
}

// afterTimeout returns the state of a after a health check that timed out.
func (a *address) afterTimeout() state {
	if current := a.currentState(); a.timeouts.Add(1) < suspectAfter && current != unknown {
		return current
	}
	return suspect
}
