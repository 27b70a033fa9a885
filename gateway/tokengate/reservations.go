package tokengate

import (
	"context"
	"errors"
	"sync"
)

var (
	// errNoneLeft means that the window is empty.
	errNoneLeft = errors.New("nothing is left")
	// errAllReserved means that what is left of the window stayed reserved for too long.
	errAllReserved = errors.New("all that is left is reserved")
)

// reservations bound the requests in flight that may yet be charged to a window: never more than what is left of it.
// So requests that come at once cannot all pass a check that each of them passes alone. A reservation is given back
// when the request was charged, or is known not to be; it never touches the window itself.
//
// Requests of one id wait for each other in the order in which they came. The zero value is ready for use.
type reservations struct {
	mu   sync.Mutex
	byID map[string]*reservation
}

// reservation is the state of one id while requests of it are in flight or wait.
type reservation struct {
	turn     chan struct{} // held by the one request that may reserve next
	freed    chan struct{} // signals that a reservation was given back
	inFlight int
	users    int // requests that hold a reservation or wait for one; the last one deletes the entry
}

// reserve takes one of what is left of id's window, which left reports; the reserved requests are not counted there.
// It waits while all of it is reserved, until ctx ends. The error is errNoneLeft, errAllReserved or left's. Without
// an error, release must be called once, after the request was charged if it is.
func (r *reservations) reserve(ctx context.Context, id string, left func() (int, error)) (release func(), err error) {
	entry := r.enter(id)
	defer func() {
		if err != nil {
			r.leave(id, entry, false)
		}
	}()
	select {
	case entry.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, errAllReserved
	}
	defer func() { <-entry.turn }()
	for {
		// Read before left: a request that is charged in between counts in both, which is safe.
		r.mu.Lock()
		inFlight := entry.inFlight
		r.mu.Unlock()
		n, err := left()
		switch {
		case err != nil:
			return nil, err
		case n == 0:
			return nil, errNoneLeft
		case inFlight < n:
			r.mu.Lock()
			entry.inFlight++
			r.mu.Unlock()
			return func() { r.leave(id, entry, true) }, nil
		}
		select {
		case <-entry.freed:
		case <-ctx.Done():
			return nil, errAllReserved
		}
	}
}

func (r *reservations) enter(id string) *reservation {
	r.mu.Lock()
	defer r.mu.Unlock()
	entry := r.byID[id]
	if entry == nil {
		entry = &reservation{turn: make(chan struct{}, 1), freed: make(chan struct{}, 1)}
		if r.byID == nil {
			r.byID = make(map[string]*reservation)
		}
		r.byID[id] = entry
	}
	entry.users++
	return entry
}

func (r *reservations) leave(id string, entry *reservation, held bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if entry.users--; entry.users == 0 {
		delete(r.byID, id)
	}
	if held {
		entry.inFlight--
		select {
		case entry.freed <- struct{}{}:
		default:
		}
	}
}
