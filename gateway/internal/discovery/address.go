package discovery

import (
	"context"
	"net"
	"sync/atomic"
	"time"
)

// State is the health of an address. Requests go to the addresses with the first state in this order.
type State int32

const (
	// Healthy addresses passed their last health check.
	Healthy State = iota
	// Unknown addresses were not checked yet.
	Unknown
	// Suspect addresses are not ready, or timed out in a health check. They are used when there is no better
	// address: if all time out, the cause may be this machine.
	Suspect
	// Ejected is not set by health checks: it ranks addresses that outlier detection ejected.
	Ejected
	// Unhealthy addresses refuse connections, or broke the connection of a health check. They are not used.
	Unhealthy
)

func (s State) String() string {
	return [...]string{"healthy", "unknown", "suspect", "ejected", "unhealthy"}[s]
}

// Address is one IP address of a service.
type Address struct {
	// HostPort is where to connect.
	HostPort string

	service      *Service
	state        atomic.Int32
	inFlight     atomic.Int64 // requests between Begin and End
	failures     atomic.Int32 // consecutive requests that failed
	ejectedUntil atomic.Int64 // end of the last ejection in Unix nanoseconds; 0: none
}

// Service returns the service that a is an address of.
func (a *Address) Service() *Service { return a.service }

// Dial connects to a. A refused connection makes it unhealthy immediately; a timeout is only a failed request, because
// on an overloaded machine all addresses time out.
func (a *Address) Dial(ctx context.Context, network string) (net.Conn, error) {
	s := a.service
	conn, err := (&net.Dialer{Timeout: s.config.DialTimeout}).DialContext(ctx, network, a.HostPort)
	if err != nil && ctx.Err() == nil {
		if !IsTimeout(err) && s.config.CheckPath != "" { // else nothing would make it healthy again
			s.recordCheck(a, Unhealthy, err)
		}
		s.triggerCheck()
	}
	return conn, err
}

// Begin counts a request as in flight until End is called.
func (a *Address) Begin() { a.inFlight.Add(1) }

// End is the inverse of Begin.
func (a *Address) End() { a.inFlight.Add(-1) }

// stateAt returns the state of a with respect to ejections.
func (a *Address) stateAt(now time.Time) State {
	is := State(a.state.Load())
	if a.isEjected(now) {
		return max(is, Ejected)
	}
	return is
}

// setState sets the state of a and returns the previous one.
func (a *Address) setState(s State) (before State) { return State(a.state.Swap(int32(s))) }
