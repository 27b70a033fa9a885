package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// kind is one kind of request of the load.
type kind struct {
	name     string
	rate     int   // requests a second
	right    []int // statuses without a fault
	customer bool  // sent by customers with a valid token: a failure is an outage
	make     func(*testbed) call
}

// Names of kinds that promises refer to.
const (
	kindList    = "list"
	kindOne     = "one"
	kindCreate  = "create"
	kindRepeat  = "repeat"
	kindFresh   = "fresh"
	kindLimited = "limited"
	kindUnknown = "unknown"
)

// kinds are the load. Requests that are refused come from ever new addresses, so
// that they do not use up the window of one.
var kinds = []kind{
	{kindList, 20, []int{200}, true, func(b *testbed) call {
		return call{path: "/api/v1/shipments?per_page=5", token: b.tokens.reader}
	}},
	{kindOne, 20, []int{200}, true, reads(func(b *testbed) string { return b.tokens.reader })},
	{kindCreate, 10, []int{201}, true, (*testbed).newCreate},
	{"self", 8, []int{200}, true, func(b *testbed) call { return call{path: "/api/v1/token", token: b.tokens.reader} }},
	{kindFresh, 2, []int{200}, true, reads(func(b *testbed) string { return b.tokens.nextFresh() })},

	{kindLimited, 10, []int{200, 429}, false, reads(func(b *testbed) string { return b.tokens.limited })},
	{kindUnknown, 4, []int{401}, false, refused(func(*testbed) string { return unknownToken() })},
	{"revoked", 3, []int{401}, false, refused(func(b *testbed) string { return b.tokens.revoked })},
	{"expired", 2, []int{401}, false, refused(func(b *testbed) string { return b.tokens.expired })},
	{"no token", 3, []int{401}, false, refused(func(*testbed) string { return "" })},
	{"no permission", 4, []int{403}, false, func(b *testbed) call { return create(b.tokens.reader, "never") }},
}

func reads(token func(*testbed) string) func(*testbed) call {
	return func(b *testbed) call { return call{path: b.tokens.shipment, token: token(b)} }
}

func refused(token func(*testbed) string) func(*testbed) call {
	return func(b *testbed) call { return call{path: b.tokens.shipment, token: token(b), from: freshAddress()} }
}

// kindOf returns a kind by its name. A repeated create is a create.
func kindOf(name string) kind {
	if name == kindRepeat {
		name = kindCreate
	}
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })]
}

// newCreate is a create with a new reference, which is also its Idempotency-Key.
func (b *testbed) newCreate() call {
	return create(b.tokens.writer, fmt.Sprintf("LAB-%06d", b.created.Add(1)))
}

func create(token, reference string) call {
	const body = `{"shipment":{"reference":%q,"vessel":"MSC Carmen","origin":"Durban","destination":"Rotterdam"}}`
	return call{
		method: http.MethodPost, path: "/api/v1/shipments", token: token, reference: reference,
		body: fmt.Sprintf(body, reference),
	}
}

// load is the running load: each kind at its own rate, independent of responses.
type load struct {
	testbed  *testbed
	stopping context.CancelFunc
	pending  sync.WaitGroup

	acknowledged atomic.Int64 // number of creates

	mu      sync.Mutex
	samples []sample
}

// A create without an acknowledgement is retried with its Idempotency-Key. One
// of repeatOneOf acknowledged creates is repeated, as if its response was lost.
const (
	tryAgainAfter = time.Second
	tries         = 5
	repeatOneOf   = 5
)

func startLoad(ctx context.Context, b *testbed) *load {
	ticking, stop := context.WithCancel(ctx)
	l := &load{testbed: b, stopping: stop}
	for _, k := range kinds {
		l.pending.Go(func() {
			tick := time.NewTicker(time.Second / time.Duration(k.rate))
			defer tick.Stop()
			for {
				select {
				case <-ticking.Done():
					return
				case <-tick.C:
					l.pending.Go(func() { l.send(ctx, ticking, k) })
				}
			}
		})
	}
	return l
}

// send sends one request of a kind, and retries if it is a create.
func (l *load) send(ctx, ticking context.Context, k kind) {
	a := k.make(l.testbed)
	s := l.once(ctx, k.name, a)
	if k.name != kindCreate {
		return
	}
	if s.status == http.StatusCreated {
		if l.acknowledged.Add(1)%repeatOneOf == 0 {
			l.once(ctx, kindRepeat, a)
		}
		return
	}
	for range tries {
		wait(ticking, tryAgainAfter)
		if ticking.Err() != nil || l.once(ctx, kindRepeat, a).passed() {
			return
		}
	}
}

func (l *load) once(ctx context.Context, kind string, a call) sample {
	s, _ := l.testbed.client.do(ctx, a)
	s.kind = kind
	l.mu.Lock()
	defer l.mu.Unlock()
	l.samples = append(l.samples, s)
	return s
}

// lastFailure returns when the last failed request of a customer began.
func (l *load) lastFailure() (last time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range failures(customers(l.samples)) {
		if s.start.After(last) {
			last = s.start
		}
	}
	return last
}

// stop ends the load, waits for every response and returns all samples.
func (l *load) stop() []sample {
	l.stopping()
	l.pending.Wait()
	return l.samples
}
