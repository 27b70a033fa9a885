// Package outbox numbers the events of committed changes, and deletes expired ones.
//
// Guarantees: event numbers of an organization are consecutive and become visible in
// order; every committed event gets a number as long as one Relay runs, after any
// crash; several Relays may run concurrently. Organizations wait for each other for
// at most one batch: failing ones are retried with exponential backoff and smaller
// batches. Events of this process are numbered at once, those of others within Poll.
package outbox

import (
	"context"
	"sync"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const (
	// Poll is the interval at which a Relay queries for events of other processes.
	Poll = time.Second
	// SweepEvery is the interval at which a Relay deletes expired events.
	SweepEvery = time.Hour

	batch     = 500 // events in one transaction
	expiring  = 200 // events deleted in one transaction
	neighbors = 100 // organizations found by one query
)

// Outbox stores events until they are numbered. Each method is atomic.
type Outbox interface {
	// Waiting returns organizations after the given one with events to number.
	Waiting(ctx context.Context, after shipments.OrgID, limit int) ([]shipments.OrgID, error)
	// Number numbers up to limit events of an organization. It returns their number
	// and the age of the oldest.
	Number(ctx context.Context, org shipments.OrgID, limit int) (int, time.Duration, error)
	// Organizations returns organizations after the given one of which something
	// expires or is encrypted.
	Organizations(ctx context.Context, after shipments.OrgID, limit int) ([]shipments.OrgID, error)
	// Expire deletes up to limit things of a kind whose time is over now, and returns
	// their number.
	Expire(ctx context.Context, org shipments.OrgID, now time.Time, limit int) (int, error)
	// Reseal encrypts an organization's secrets with the newest key.
	Reseal(ctx context.Context, org shipments.OrgID) error
}

// Work is a task of a Relay for each organization.
type Work string

// The tasks of a Relay.
const (
	Numbering Work = "number"
	Expiring  Work = "expire"
	Resealing Work = "reseal"
)

// Works lists every Work.
var Works = []Work{Numbering, Expiring, Resealing}

// Config is the configuration of a Relay. Its functions may be called concurrently.
type Config struct {
	Announced <-chan struct{} // receives a value when there may be new events
	// Numbered is called with the number of events that were numbered, and the age of
	// the oldest.
	Numbered func(n int, waited time.Duration)
	Note     func(error) // called with the result of each pass
	// Failing is called when the work for an organization has failed twice in a row,
	// and with a nil error when it succeeds again. failing is the number of failing
	// organizations.
	Failing func(work Work, org shipments.OrgID, err error, failing int)
}

// Relay moves events from the outbox to the event feed.
type Relay struct {
	Config
	outbox   Outbox
	numbered *backlog
	expired  *backlog
	resealed *backlog
}

// New returns an idle Relay.
func New(outbox Outbox, cfg Config) *Relay {
	r := &Relay{Config: cfg, outbox: outbox}
	of := func(work Work, batch int) *backlog {
		return newBacklog(batch, func(org shipments.OrgID, err error, failing int) { r.Failing(work, org, err, failing) })
	}
	r.numbered, r.expired, r.resealed = of(Numbering, batch), of(Expiring, expiring), of(Resealing, 1)
	return r
}

// Run runs until ctx ends. Failed work is retried at a later poll.
func (r *Relay) Run(ctx context.Context) {
	var sweeping sync.WaitGroup
	defer sweeping.Wait()
	sweeping.Go(func() { r.sweepHourly(ctx) })
	poll := time.NewTicker(Poll)
	defer poll.Stop()
	for {
		notified := r.Announced
		if !r.noted(ctx, r.pass(ctx)) {
			notified = nil // notifications do not shorten the backoff
		}
		select {
		case <-ctx.Done():
			return
		case <-notified:
		case <-poll.C:
		}
	}
}

// sweepHourly deletes expired events concurrently with the numbering.
func (r *Relay) sweepHourly(ctx context.Context) {
	again := time.NewTicker(SweepEvery)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
			r.noted(ctx, r.sweep(ctx))
		}
	}
}

// noted reports a result, unless ctx has ended.
func (r *Relay) noted(ctx context.Context, err error) (ok bool) {
	if ctx.Err() == nil {
		r.Note(err)
	}
	return err == nil
}

// pass numbers all events, a batch of each organization at a time.
func (r *Relay) pass(ctx context.Context) error {
	for more := true; more; {
		more = false
		err := r.numbered.each(ctx, r.outbox.Waiting, func(org shipments.OrgID, limit int) error {
			n, waited, err := r.outbox.Number(ctx, org, limit)
			if n > 0 {
				r.Numbered(n, waited)
			}
			more = more || err == nil && n == limit
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// sweep deletes expired events, and reseals secrets with the newest key.
func (r *Relay) sweep(ctx context.Context) error {
	now := time.Now()
	for more := true; more; {
		more = false
		err := r.expired.each(ctx, r.outbox.Organizations, func(org shipments.OrgID, limit int) error {
			n, err := r.outbox.Expire(ctx, org, now, limit)
			more = more || err == nil && n == limit
			return err
		})
		if err != nil {
			return err
		}
	}
	return r.resealed.each(ctx, r.outbox.Organizations, func(org shipments.OrgID, _ int) error {
		return r.outbox.Reseal(ctx, org)
	})
}
