// Package outbox gives events their numbers once the changes that they tell of
// are stored, and forgets them when their time is over.
//
// Guarantees: in each organization the numbers rise by one, and whoever has
// read the event of a number has missed none with a lower one; an event that
// was announced gets a number, whichever programs are killed at whatever
// moment, as long as one Relay runs; any number of them may run at once. No
// organization keeps another waiting for more than a batch: neither one with
// many events nor one whose events cannot be numbered, which is retried with
// exponential backoff and smaller batches. An event is numbered at once when its
// own program announced it, and within Poll when another did.
package outbox

import (
	"context"
	"sync"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const (
	// Poll is how often a Relay looks for events that other programs announced.
	Poll = time.Second
	// SweepEvery is how often a Relay looks for events whose time is over.
	SweepEvery = time.Hour

	batch     = 500 // events in one transaction
	expiring  = 200 // events forgotten in one transaction
	neighbors = 100 // organizations found by one query
)

// Outbox is where events wait for their numbers. Each method is done whole or
// not at all.
type Outbox interface {
	// Waiting returns organizations, after the given one, whose events wait.
	Waiting(ctx context.Context, after shipments.OrgID, limit int) ([]shipments.OrgID, error)
	// Number numbers up to limit events of an organization. It returns how many
	// these were and how long the oldest of them had waited.
	Number(ctx context.Context, org shipments.OrgID, limit int) (int, time.Duration, error)
	// Publishers returns organizations, after the given one, that have had events.
	Publishers(ctx context.Context, after shipments.OrgID, limit int) ([]shipments.OrgID, error)
	// Expire forgets up to limit events that were numbered before a time, and
	// returns how many these were.
	Expire(ctx context.Context, org shipments.OrgID, before time.Time, limit int) (int, error)
	// Reseal seals an organization's secrets with the newest key.
	Reseal(ctx context.Context, org shipments.OrgID) error
}

// Work is one of the things that a Relay does for each organization.
type Work string

// The kinds of Work.
const (
	Numbering Work = "number"
	Expiring  Work = "expire"
	Resealing Work = "reseal"
)

// Works lists every Work.
var Works = []Work{Numbering, Expiring, Resealing}

// Config is what a Relay works with. Its functions may be called concurrently.
type Config struct {
	Announced <-chan struct{} // gets a value when there may be something new
	// Numbered is told how many events got their numbers, and how long the
	// oldest of them had waited.
	Numbered func(n int, waited time.Duration)
	Note     func(error) // is told whether the outbox works: nil, or why not
	// Failing is called when the work for one organization has failed twice in
	// a row, and with a nil error when it succeeds again. failing is for how
	// many organizations it fails now.
	Failing func(work Work, org shipments.OrgID, err error, failing int)
}

// Relay moves events from the outbox to where they are read.
type Relay struct {
	Config
	outbox   Outbox
	numbered *backlog
	expired  *backlog
	resealed *backlog
}

// New returns a Relay that does nothing until Run.
func New(outbox Outbox, cfg Config) *Relay {
	r := &Relay{Config: cfg, outbox: outbox}
	of := func(work Work, batch int) *backlog {
		return newBacklog(batch, func(org shipments.OrgID, err error, failing int) { r.Failing(work, org, err, failing) })
	}
	r.numbered, r.expired, r.resealed = of(Numbering, batch), of(Expiring, expiring), of(Resealing, 1)
	return r
}

// Run works until ctx ends. What fails is retried at a later poll.
func (r *Relay) Run(ctx context.Context) {
	var sweeping sync.WaitGroup
	defer sweeping.Wait()
	sweeping.Go(func() { r.sweepHourly(ctx) })
	poll := time.NewTicker(Poll)
	defer poll.Stop()
	for {
		wake := r.Announced
		if !r.tried(ctx, r.pass(ctx)) {
			wake = nil // changes that are being stored do not make it try more often
		}
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-poll.C:
		}
	}
}

// sweepHourly forgets old events beside the numbering, which it must not delay.
func (r *Relay) sweepHourly(ctx context.Context) {
	again := time.NewTicker(SweepEvery)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
			r.tried(ctx, r.sweep(ctx))
		}
	}
}

// tried notes whether something worked, unless it was ended.
func (r *Relay) tried(ctx context.Context, err error) (ok bool) {
	if ctx.Err() == nil {
		r.Note(err)
	}
	return err == nil
}

// pass numbers all events that wait, a batch of each organization at a time.
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

// sweep forgets what has been kept for long enough, and has no secret depend on
// an older key.
func (r *Relay) sweep(ctx context.Context) error {
	before := time.Now().Add(-shipments.EventLife)
	for more := true; more; {
		more = false
		err := r.expired.each(ctx, r.outbox.Publishers, func(org shipments.OrgID, limit int) error {
			n, err := r.outbox.Expire(ctx, org, before, limit)
			more = more || err == nil && n == limit
			return err
		})
		if err != nil {
			return err
		}
	}
	return r.resealed.each(ctx, r.outbox.Publishers, func(org shipments.OrgID, _ int) error {
		return r.outbox.Reseal(ctx, org)
	})
}
