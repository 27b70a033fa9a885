// Package relay gives events their numbers once the changes that they tell of
// are stored, and forgets them when their time is over.
//
// Guarantees: in each organization the numbers rise by one, and whoever has
// read the event of a number has missed none with a lower one; an event that
// was announced gets a number, whichever programs are killed at whatever
// moment, as long as one Relay runs; any number of them may run at once, and
// no organization with many events keeps another waiting for more than a
// batch. An event is numbered at once when its own program announced it, and
// within Poll when another did.
package relay

import (
	"context"
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
}

// Config is what a Relay works with.
type Config struct {
	Announced <-chan struct{} // gets a value when there may be something new
	// Numbered is told how many events got their numbers, and how long the
	// oldest of them had waited.
	Numbered func(n int, waited time.Duration)
	Note     func(error) // is told whether the outbox works: nil, or why not
}

// Relay moves events from the outbox to where they are read.
type Relay struct {
	Config
	outbox Outbox
}

// New returns a Relay that does nothing until Run.
func New(outbox Outbox, cfg Config) *Relay {
	return &Relay{cfg, outbox}
}

// Run works until ctx ends. What fails is tried again at the next poll.
func (r *Relay) Run(ctx context.Context) {
	poll, sweep := time.NewTicker(Poll), time.NewTicker(SweepEvery)
	defer poll.Stop()
	defer sweep.Stop()
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
		case <-sweep.C:
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
		err := each(ctx, r.outbox.Waiting, func(org shipments.OrgID) error {
			n, waited, err := r.outbox.Number(ctx, org, batch)
			if err != nil {
				return err
			}
			if n > 0 {
				r.Numbered(n, waited)
			}
			more = more || n == batch
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// sweep forgets what has been kept for long enough.
func (r *Relay) sweep(ctx context.Context) error {
	before := time.Now().Add(-shipments.EventLife)
	return each(ctx, r.outbox.Publishers, func(org shipments.OrgID) error {
		for n := expiring; n == expiring; {
			var err error
			if n, err = r.outbox.Expire(ctx, org, before, expiring); err != nil {
				return err
			}
		}
		return nil
	})
}

// each calls do for every organization that find finds.
func each(ctx context.Context, find func(context.Context, shipments.OrgID, int) ([]shipments.OrgID, error), do func(shipments.OrgID) error) error {
	var after shipments.OrgID
	for {
		orgs, err := find(ctx, after, neighbors)
		if err != nil {
			return err
		}
		for _, org := range orgs {
			if err := do(org); err != nil {
				return err
			}
		}
		if len(orgs) < neighbors {
			return nil
		}
		after = orgs[len(orgs)-1]
	}
}
