package upstream

import (
	"io"
	"sync/atomic"
)

// state is what is known of an address. A request goes to one with the first state in this order.
type state int32

const (
	// good addresses passed their last check.
	good state = iota
	// recovering addresses passed their last check, but were not good a moment ago.
	recovering
	// unknown addresses were not checked yet.
	unknown
	// doubtful addresses did not answer in time, which may be this machine's slowness, or answered that they are
	// not well, or about to end.
	doubtful
	// away are those that cannot be connected to, or break the connection of a check. They are not used.
	away
)

// recovery is how many checks in a row make an address good again that was not. One that flaps is better left
// alone while there are others.
const recovery = 3

func (s state) String() string {
	return [...]string{"good", "recovering", "unknown", "doubtful", "away"}[s]
}

// address is one of a service's.
type address struct {
	hostPort string
	state    atomic.Int32
	passes   atomic.Int32 // checks in a row that were passed since it was not good
	inFlight atomic.Int64 // requests whose answer is not read to its end
	wires    pool
}

func (a *address) is() state { return state(a.state.Load()) }

// become notes what a is now, and returns what it was.
func (a *address) become(s state) (before state) { return state(a.state.Swap(int32(s))) }

// passed returns what a is now that it passed a check.
func (a *address) passed() state {
	if is := a.is(); is == unknown || is == good || a.passes.Add(1) >= recovery {
		return good
	}
	return recovering
}

// before reports whether a is to be chosen rather than b.
func (a *address) before(b *address) bool {
	if s, other := a.is(), b.is(); s != other {
		return s < other
	}
	return a.inFlight.Load() < b.inFlight.Load()
}

// body is an answer's body. While it is open its request counts as in flight.
type body struct {
	io.ReadCloser

	from   *address
	closed atomic.Bool
}

// Close implements io.Closer.
func (b *body) Close() error {
	if b.closed.CompareAndSwap(false, true) {
		b.from.inFlight.Add(-1)
	}
	return b.ReadCloser.Close()
}
