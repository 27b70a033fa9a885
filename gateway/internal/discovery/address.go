package discovery

import "sync/atomic"

// State is the health of an address. Requests go to the addresses with the first state in this order.
type State int32

const (
	// Healthy addresses passed their last health check.
	Healthy State = iota
	// Recovering addresses passed their last health check, but not yet healthyAfter in a row.
	Recovering
	// Unknown addresses were not checked yet.
	Unknown
	// Suspect addresses are not ready, or timed out in two health checks. They are used when there is no better
	// address: if all time out, the cause may be this machine.
	Suspect
	// Ejected is not set by health checks: it ranks addresses that outlier detection ejected.
	Ejected
	// Unhealthy addresses refuse connections, or broke the connection of a health check. They are not used.
	Unhealthy
)

const (
	// healthyAfter is how many health checks in a row an address must pass to become healthy again, so that a
	// flapping address is not used while there are others.
	healthyAfter = 3
	// suspectAfter is how many health checks in a row must time out for an address to become suspect.
	suspectAfter = 2
)

func (s State) String() string {
	return [...]string{"healthy", "recovering", "unknown", "suspect", "ejected", "unhealthy"}[s]
}

// Address is one IP address of a service.
type Address struct {
	// HostPort is where to connect.
	HostPort string

	service  *Service
	state    atomic.Int32
	passes   atomic.Int32 // consecutive health checks that passed since it was not healthy
	timeouts atomic.Int32 // consecutive health checks that timed out
	inFlight atomic.Int64 // requests between Begin and End, and recent failures
	outlier  outlier
}

// Service returns the service that a is an address of.
func (a *Address) Service() *Service { return a.service }

// Begin counts a request as in flight until End is called.
func (a *Address) Begin() { a.inFlight.Add(1) }

// End is the inverse of Begin.
func (a *Address) End() { a.inFlight.Add(-1) }

func (a *Address) currentState() State { return State(a.state.Load()) }

// setState sets the state of a and returns the previous one.
func (a *Address) setState(s State) (before State) { return State(a.state.Swap(int32(s))) }

// afterPass returns the state of a after a health check that passed.
func (a *Address) afterPass() State {
	a.timeouts.Store(0)
	if current := a.currentState(); current == Unknown || current == Healthy || a.passes.Add(1) >= healthyAfter {
		return Healthy
	}
	return Recovering
}

// afterTimeout returns the state of a after a health check that timed out.
func (a *Address) afterTimeout() State {
	if current := a.currentState(); a.timeouts.Add(1) < suspectAfter && current != Unknown {
		return current
	}
	return Suspect
}
