package upstream

import "sync/atomic"

// state is the health of an address, as connections and health checks show it. A request goes to an address with the
// first state in this order; ejected addresses come after suspect ones.
type state int32

const (
	// good addresses passed their last health check.
	good state = iota
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
	away
)

const (
	// recovery is how many health checks in a row must pass before an address that was not good is good again, so that
	// one that flaps is not used while there are others.
	recovery = 3
	// misses is how many health checks in a row must time out before an address is suspect.
	misses = 2
)

func (s state) String() string {
	return [...]string{"good", "recovering", "unknown", "suspect", "ejected", "away"}[s]
}

// address is one of a service's.
type address struct {
	hostPort string
	state    atomic.Int32
	passes   atomic.Int32 // health checks in a row that passed since it was not good
	missed   atomic.Int32 // health checks in a row that timed out
	inFlight atomic.Int64 // requests whose response is not read to its end, and recent failures
	outlier  outlier
	wires    pool
}

func (a *address) is() state { return state(a.state.Load()) }

// become sets the state of a, and returns the one before.
func (a *address) become(s state) (before state) { return state(a.state.Swap(int32(s))) }

// passed returns the state of a after a health check that passed.
func (a *address) passed() state {
	a.missed.Store(0)
	if is := a.is(); is == unknown || is == good || a.passes.Add(1) >= recovery {
		return good
	}
	return recovering
}

// timedOut returns the state of a after a health check that timed out.
func (a *address) timedOut() state {
	if is := a.is(); a.missed.Add(1) < misses && is != unknown {
		return is
	}
	return suspect
}
