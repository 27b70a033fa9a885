package tokengate

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/quayside/quayside/gateway/internal/clients"
	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/limit"
)

// Places of requests in flight whose client is not known to be a customer, of which one address has a quarter and a /48
// of IPv6 half. Such a request takes up to 100 KiB while its client does not read the response, and costs the client
// next to nothing. No kind can use the places of another, and none those of a token that is in use, which needs none.
// Where all are taken, the client that has most of them gives one up. They belong to the process, so that requests of
// before a reload count.
var (
	publicPlaces  = newPlaces(256)  // for public paths, and of requests without a readable token
	pagePlaces    = newPlaces(256)  // for pages, of people who are not known to be signed in
	sessionPlaces = newPlaces(256)  // of people who lately were, until their sessions are introspected
	unknownPlaces = newPlaces(1024) // of unknown tokens, until they are introspected
	expiredPlaces = newPlaces(1024) // of tokens that were active, until they are introspected again
	// of refusals, until their clients have read them: an eighth, so that others learn why they are refused
	refusalPlaces  = clients.NewShares(256, 32, giveWayWithin)
	refusalTimeout = 5 * time.Second
	atOnce         = 20 * time.Millisecond // for a refusal without a place
)

// giveWayWithin is how long a request waits for the place of a client that has more. That takes milliseconds, unless
// the machine has more to do than it can.
const giveWayWithin = 5 * time.Second

func newPlaces(total int) *clients.Shares { return clients.NewShares(total, total/4, giveWayWithin) }

// place is a place that a request has until it ends, or has to give up.
type place struct {
	writer  http.ResponseWriter
	release func()

	mu    sync.Mutex
	ended bool
}

// giveWay ends the request: what it writes now fails. Once it has ended, its connection is that of other requests. A
// write that begins meanwhile sets a deadline of its own, so that of the past is set until the request has ended.
func (p *place) giveWay() {
	for p.expire() {
		time.Sleep(expireAgain)
	}
}

// expireAgain is how long it may take to end a request whose write has begun meanwhile.
const expireAgain = 20 * time.Millisecond

// expire has what the request writes fail, and reports whether it had not ended. It passes by the writers of Caddy,
// which only the handler of the request may use.
func (p *place) expire() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		w := p.writer
		for outer, ok := w.(unwrapper); ok; outer, ok = w.(unwrapper) {
			w = outer.Unwrap()
		}
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now())
	}
	return !p.ended
}

// unwrapper is a writer around another, as http.ResponseController knows it.
type unwrapper interface{ Unwrap() http.ResponseWriter }

func (p *place) leave() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.release()
}

// take takes a place until x.release is called.
func (x *exchange) take(places *clients.Shares) (err error) {
	taken := &place{writer: x.ResponseWriter}
	if taken.release, err = places.Acquire(x.caller, taken.giveWay); err == nil {
		x.leave = taken.leave
	}
	return err
}

// places returns the places that a request takes one of; nil: it needs none.
func (x *exchange) places() *clients.Shares {
	switch {
	case x.route == sessionRoute && x.gate.tokens.KnownSession(x.cookie):
		return sessionPlaces
	case x.route == sessionRoute, x.route == pageRoute:
		return pagePlaces
	case x.route != tokenRoute, x.credential.err != nil:
		return publicPlaces
	case x.credential.usable && x.credential.wasActive(): // it certainly is
		return nil
	case x.credential.wasActive():
		return expiredPlaces
	default:
		return unknownPlaces
	}
}

// enter takes a place for a request until x.release is called, or refuses it.
func (x *exchange) enter() error {
	places := x.places()
	if places == nil {
		return nil
	}
	switch err := x.take(places); {
	case errors.Is(err, limit.ErrShare):
		return x.unavailable(publicWindow, tooManyInFlight)
	case err != nil:
		return x.unavailable(publicWindow, overloaded)
	default:
		return nil
	}
}

// enterRefusal takes a place for a refusal instead of that of the request. If there is none, the response is sent as
// far as the connection takes it at once, and a request whose body would be read on is aborted. So is one whose client
// does not read the response in time.
func (x *exchange) enterRefusal(refusal problem.Problem) {
	x.release()
	within := refusalTimeout
	if err := x.take(refusalPlaces); err != nil {
		if within = atOnce; x.body != nil {
			x.status, x.whole = refusal.Status, false // for the log
			panic(http.ErrAbortHandler)
		}
	}
	_ = http.NewResponseController(x.ResponseWriter).SetWriteDeadline(time.Now().Add(within))
}
