// Package dispatch makes the deliveries of webhooks.
//
// Guarantees: a delivery that is due is attempted, whichever programs are killed
// at whatever moment, as long as one Dispatcher runs; any number of them may run
// at once. A receiver may get an event twice, with the same webhook-id, and in
// another order than it happened. What a receiver does in answering, or whether
// it answers at all, costs it its own deliveries and nobody else's: each endpoint
// has one attempt at a time, more as it accepts quickly, each organization some
// more, and each attempt ends within Timeout. Requests go to public addresses only.
package dispatch

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
)

const (
	// Poll is how often a Dispatcher looks for what other programs left.
	Poll = time.Second
	// drain is how long attempts may go on once Run is to end.
	drain = 8 * time.Second

	lease       = time.Minute // longer than an attempt and writing its result
	leaseMargin = 10 * time.Second
	visited     = 200 // endpoints found by one query
	recount     = 15 * time.Second
	maxCount    = 10_000
)

// Queue is where deliveries wait. Each method is done whole or not at all.
type Queue interface {
	// Due returns, of the next limit endpoints after the given one, those that
	// have deliveries which are due; and where to look on, or nil.
	Due(ctx context.Context, after webhooks.Place, now time.Time, limit int) ([]webhooks.Place, *webhooks.Place, error)
	// Claim claims a delivery until a time, when it is due again unless it was
	// finished. ok is false where none is due.
	Claim(ctx context.Context, place webhooks.Place, now, until time.Time) (job webhooks.Job, ok bool, err error)
	// Finish writes what became of a delivery, unless it was claimed again.
	Finish(ctx context.Context, job webhooks.Job, a webhooks.Attempt, v webhooks.Verdict) error
	// Release gives a claim back.
	Release(ctx context.Context, job webhooks.Job, now time.Time) error
	// Overdue counts deliveries that are due, up to limit.
	Overdue(ctx context.Context, now time.Time, limit int) (int, error)
}

// Config is what a Dispatcher works with.
type Config struct {
	Client *http.Client
	Render func(webhooks.Job) (Message, error)
	Wake   <-chan struct{} // gets a value when something may be due
	Now    func() time.Time
	Note   func(error) // is told whether the queue works: nil, or why not
	// Attempted is told of each attempt, and Overdue now and then how many
	// deliveries are due, up to 10,000.
	Attempted func(webhooks.Outcome, time.Duration)
	Overdue   func(int)
}

// Dispatcher claims deliveries that are due and attempts them.
type Dispatcher struct {
	Config
	queue   Queue
	room    *room
	again   chan struct{} // gets a value when there is room again
	working sync.WaitGroup
}

// New returns a Dispatcher that does nothing until Run.
func New(queue Queue, cfg Config) *Dispatcher {
	return &Dispatcher{Config: cfg, queue: queue, room: newRoom(), again: make(chan struct{}, 1)}
}

// Run works until ctx ends. Attempts that are being made then may end; those
// that do not end soon are given back.
func (d *Dispatcher) Run(ctx context.Context) {
	attempts, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	poll, count := time.NewTicker(Poll), time.NewTicker(recount)
	defer poll.Stop()
	defer count.Stop()
	for {
		ok := d.tried(ctx, d.pass(ctx, attempts))
		wake, again := d.Wake, (<-chan struct{})(d.again)
		if !ok {
			wake, again = nil, nil // it is tried again at the next poll, however much is to do
		}
		select {
		case <-ctx.Done():
			over := time.AfterFunc(drain, cancel)
			d.working.Wait()
			over.Stop()
			return
		case <-wake:
		case <-again:
		case <-poll.C:
		case <-count.C:
			if n, err := d.queue.Overdue(ctx, d.Now(), maxCount); err == nil {
				d.Overdue(n)
			}
		}
	}
}

// tried notes whether the queue worked, unless that was ended.
func (d *Dispatcher) tried(ctx context.Context, err error) (ok bool) {
	if ctx.Err() == nil {
		d.Note(err)
	}
	return err == nil
}

// pass begins to work for every endpoint that has something due.
func (d *Dispatcher) pass(ctx, attempts context.Context) error {
	for after := (&webhooks.Place{}); after != nil; {
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

// start makes deliveries of an endpoint beside whatever else goes on, if there
// is room for it.
func (d *Dispatcher) start(ctx, attempts context.Context, place webhooks.Place) {
	if !d.room.take(place) {
		return
	}
	d.working.Go(func() {
		more := d.work(ctx, attempts, place)
		if wanted := d.room.leave(place); more || wanted {
			select {
			case d.again <- struct{}{}:
			default:
			}
		}
	})
}

// turn is how many deliveries are made for an endpoint before others have their
// turn, where there is no room for all.
const turn = 25

// work makes deliveries of an endpoint, one after the other, until none is due;
// more says that it ended before that. Where there is one there may be more, for
// which it begins more work.
func (d *Dispatcher) work(ctx, attempts context.Context, place webhooks.Place) (more bool) {
	for range turn {
		if ctx.Err() != nil {
			return false
		}
		now := d.Now()
		job, ok, err := d.queue.Claim(ctx, place, now, now.Add(lease))
		if err != nil {
			d.tried(ctx, err)
		}
		if err != nil || !ok {
			return false
		}
		d.start(ctx, attempts, place)
		if d.attempt(attempts, job); !d.room.stay(place) {
			return false
		}
	}
	return true
}

// attempt makes one delivery and writes what became of it.
func (d *Dispatcher) attempt(ctx context.Context, job webhooks.Job) {
	message, err := d.Render(job)
	if err != nil {
		d.Note(err) // the lease ends by itself
		return
	}
	a := webhooks.Attempt{At: d.Now()}
	a.Outcome, a.Response = send(ctx, d.Client, job, message, a.At)
	if ctx.Err() != nil { // by drain: it is not the receiver's fault
		d.release(ctx, job)
		return
	}
	a.Took = d.Now().Sub(a.At)
	d.Attempted(a.Outcome, a.Took)
	d.room.note(job.Place, a.Outcome == webhooks.Accepted, a.Took)
	verdict := webhooks.Judge(a, job.Tries+1, job.Event.Type, rand.Float64()) //nolint:gosec // G404: it is no secret when an attempt is made
	d.finish(ctx, job, a, verdict)
}

// finish writes what became of a delivery; while that fails, until shortly
// before the lease ends. Then the delivery is made again.
func (d *Dispatcher) finish(ctx context.Context, job webhooks.Job, a webhooks.Attempt, v webhooks.Verdict) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lease-leaseMargin-Timeout)
	defer cancel()
	retry := time.NewTicker(Poll)
	defer retry.Stop()
	for {
		err := d.queue.Finish(ctx, job, a, v)
		if err == nil {
			return
		}
		d.tried(ctx, err)
		select {
		case <-retry.C:
		case <-ctx.Done():
			return
		}
	}
}

func (d *Dispatcher) release(ctx context.Context, job webhooks.Job) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), Poll)
	defer cancel()
	if err := d.queue.Release(ctx, job, d.Now()); err != nil {
		d.tried(ctx, err) // the lease ends by itself
	}
}
