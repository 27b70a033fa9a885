package upstream

import (
	"io"
	"sync/atomic"
)

// state is what is known of an address.
type state int32

const (
	// doubtful addresses are used when there is no good one: those that did not answer a check in time, which
	// may be this machine's slowness, and those that were not checked yet.
	doubtful state = iota
	// good addresses passed their last check.
	good
	// away are those that cannot be connected to, or answer that they are not to be used. They are not.
	away
)

func (s state) String() string {
	return [...]string{doubtful: "doubtful", good: "good", away: "away"}[s]
}

// address is one of a service's.
type address struct {
	hostPort string
	state    atomic.Int32
	inFlight atomic.Int64 // requests whose answer is not read to its end
}

func (a *address) is() state { return state(a.state.Load()) }

// become notes what a is now, and returns what it was.
func (a *address) become(s state) (before state) { return state(a.state.Swap(int32(s))) }

// before reports whether a is to be chosen rather than b.
func (a *address) before(b *address) bool {
	if a.is() == b.is() {
		return a.inFlight.Load() < b.inFlight.Load()
	}
	return a.is() == good
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
