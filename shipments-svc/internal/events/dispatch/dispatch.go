// Package dispatch delivers webhooks.
//
// Guarantees: delivery is at least once, as long as one Dispatcher runs, after any
// crash; several may run concurrently. A receiver may get an event twice, with the
// same webhook-id, and in another order. A slow or failing receiver delays its own
// deliveries only: concurrency is limited by endpoint, and each
// attempt ends within Timeout. Requests go to public addresses only.
package dispatch

import (
	"context"
	"math"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/limit"
	"github.com/quayside/quayside/gateway/servicekit/process/background"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const (
	// Poll is the interval at which a Dispatcher queries for due deliveries.
	Poll = time.Second
	// drain is how long attempts may continue at shutdown.
	drain = 8 * time.Second

	lease         = time.Minute // longer than an attempt and storing its result
	finishTimeout = 10 * time.Second
	visited       = 200 // endpoints of one query
)

// maxEndpoint limits concurrent attempts of an endpoint.
const maxEndpoint = 4

// attempts limits them by organization, which has at most as many as its endpoints allow. When all together are in use,
// the longest one of the organization that has most ends, so that receivers that hang take no place from others.
var attempts = limit.Config{
	Total: 2_048, Each: webhooks.MaxEndpoints * maxEndpoint, Queue: webhooks.MaxEndpoints * maxEndpoint, Wait: Timeout,
}

// Queue is the queue of deliveries. Each method is atomic.
type Queue interface {
	// Due returns the endpoints with due deliveries among the next limit ones after
	// the given one, and where to continue, or nil.
	Due(
		ctx context.Context, after webhooks.EndpointKey, now time.Time, limit int,
	) (due []webhooks.EndpointKey, next *webhooks.EndpointKey, err error)
	// Claim leases a delivery until a time, when it is due again unless it was
	// finished. ok is false if none is due or the endpoint is disabled.
	Claim(ctx context.Context, place webhooks.EndpointKey, now, until time.Time) (job webhooks.Job, ok bool, err error)
	// Finish stores the result of a delivery, unless it was claimed again.
	Finish(ctx context.Context, job webhooks.Job, a webhooks.Attempt, v webhooks.Verdict) error
}

// Config is the configuration of a Dispatcher.
type Config struct {
	Client   *http.Client
	Render   func(shipments.Event) (id string, body []byte, err error) // the same for every attempt
	Notified <-chan struct{}                                           // receives a value when deliveries may be due
	Now      func() time.Time
	Note     func(error) // called with the result of queries
	// Attempted is called after each attempt.
	Attempted func(webhooks.Outcome, time.Duration)
}

// Dispatcher claims due deliveries and attempts them.
type Dispatcher struct {
	Config
	queue     Queue
	endpoints *limit.Shares[webhooks.EndpointKey]
	attempts  *limit.Shares[shipments.Organization]
	working   sync.WaitGroup
}

// New returns an idle Dispatcher.
func New(queue Queue, cfg Config) *Dispatcher {
	return &Dispatcher{
		Config: cfg, queue: queue,
		endpoints: limit.New[webhooks.EndpointKey](limit.Config{Total: math.MaxInt64, Each: maxEndpoint}),
		attempts:  limit.New[shipments.Organization](attempts),
	}
}

// Run runs until ctx ends. Attempts in flight may then end within drain; the others are
// made again when their leases expire.
func (d *Dispatcher) Run(ctx context.Context) {
	attempts, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	background.Repeat(ctx, Poll, d.Notified, d.Note, func(ctx context.Context) error { return d.pass(ctx, attempts) })
	over := time.AfterFunc(drain, cancel)
	d.working.Wait()
	over.Stop()
}

// pass starts deliveries for every endpoint with due ones. Its order does not matter: organizations get their places in
// turn.
func (d *Dispatcher) pass(ctx, attempts context.Context) error {
	for after := (&webhooks.EndpointKey{}); after != nil; {
		due, next, err := d.queue.Due(ctx, *after, d.Now(), visited)
		if err != nil {
			return err
		}
		for _, place := range due {
			d.start(ctx, attempts, place)
		}
		after = next
	}
	return nil
}

// start starts a worker for an endpoint if there is capacity. It makes deliveries one after the
// other until none is due, and starts another worker for each that it has claimed.
func (d *Dispatcher) start(ctx, attempts context.Context, place webhooks.EndpointKey) {
	release, err := d.endpoints.Acquire(ctx, place, 1)
	if err != nil {
		return
	}
	d.working.Go(func() {
		defer release()
		for ctx.Err() == nil && d.deliver(ctx, attempts, place) {
		}
	})
}

// deliver makes a delivery to an endpoint, and reports whether one was due and its organization got a place.
func (d *Dispatcher) deliver(ctx, attempts context.Context, place webhooks.EndpointKey) bool {
	sending, end := context.WithCancel(attempts)
	defer end()
	leave, err := d.attempts.AcquireRevocable(ctx, shipments.OrganizationOf(place.Org), 1, end)
	if err != nil {
		return false
	}
	defer leave()
	now := d.Now()
	job, ok, err := d.queue.Claim(ctx, place, now, now.Add(lease))
	if err != nil && ctx.Err() == nil {
		d.Note(err)
	}
	if err != nil || !ok {
		return false
	}
	d.start(ctx, attempts, place)
	d.attempt(attempts, sending, job)
	return true
}

// attempt makes an attempt, which lasts no longer than sending, and stores its result.
func (d *Dispatcher) attempt(ctx, sending context.Context, job webhooks.Job) {
	id, body, err := d.Render(job.Event)
	if err != nil {
		d.Note(err) // the lease expires
		return
	}
	a := webhooks.Attempt{At: d.Now()}
	a.Outcome, a.Response, a.RetryAfter = send(sending, d.Client, job, id, body, a.At)
	if sending.Err() != nil && a.Response == 0 {
		a.Outcome = webhooks.TimedOut // earlier than others: it gave way to them
	}
	if ctx.Err() != nil { // at shutdown, not a failure of the receiver: the lease expires
		return
	}
	a.Took = d.Now().Sub(a.At)
	d.Attempted(a.Outcome, a.Took)
	jitter := rand.Float64() //nolint:gosec // G404: it is no secret
	verdict := webhooks.Evaluate(a, job.Tries+1, job.Event.Type, jitter)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTimeout)
	defer cancel()
	if err := d.queue.Finish(ctx, job, a, verdict); err != nil {
		d.Note(err) // the lease expires, and the delivery is made again
	}
}
