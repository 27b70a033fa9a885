// Package outbox numbers the events of committed changes, and deletes expired ones.
//
// Guarantees: event numbers of an organization are consecutive and become visible in
// order; every committed event gets a number as long as one Relay runs, after any
// crash; several Relays may run concurrently. Organizations wait for each other for
// at most one batch, and a failing one does not stop the others. Events of this process
// are numbered at once, those of others within Poll.
package outbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const (
	// Poll is the interval at which a Relay queries for events of other processes.
	Poll = time.Second
	// SweepEvery is the interval at which a Relay deletes expired events.
	SweepEvery = time.Hour

	batch     = 200 // events in one transaction
	neighbors = 100 // organizations found by one query
	outage    = 3   // consecutive failing organizations that end a pass
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

// Config is the configuration of a Relay. Its functions may be called concurrently.
type Config struct {
	Announced <-chan struct{} // receives a value when there may be new events
	// Numbered is called with the number of events that were numbered, and the age of
	// the oldest.
	Numbered func(n int, waited time.Duration)
	Note     func(error) // called with the result of each pass
	Swept    func(error) // called with the result of each sweep
}

// Relay moves events from the outbox to the event feed.
type Relay struct {
	Config
	outbox Outbox
}

// New returns an idle Relay.
func New(outbox Outbox, cfg Config) *Relay { return &Relay{cfg, outbox} }

// Run runs until ctx ends. Failed work is retried at a later poll, whatever is notified
// until then.
func (r *Relay) Run(ctx context.Context) {
	var sweeping sync.WaitGroup
	defer sweeping.Wait()
	sweeping.Go(func() { r.sweepHourly(ctx) })
	poll := time.NewTicker(Poll)
	defer poll.Stop()
	failed := failures{}
	for {
		err := r.pass(ctx, failed)
		if ctx.Err() == nil {
			r.Note(errors.Join(err, failed.err()))
		}
		notified := r.Announced
		if err != nil {
			notified = nil
		}
		select {
		case <-ctx.Done():
			return
		case <-notified:
		case <-poll.C:
			clear(failed)
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
			if err := r.sweep(ctx); ctx.Err() == nil {
				r.Swept(err)
			}
		}
	}
}

// pass numbers all events, a batch of each organization at a time.
func (r *Relay) pass(ctx context.Context, failed failures) error {
	return each(ctx, failed, r.outbox.Waiting, func(org shipments.OrgID) (bool, error) {
		n, waited, err := r.outbox.Number(ctx, org, batch)
		if n > 0 {
			r.Numbered(n, waited)
		}
		return n == batch, err
	})
}

// sweep deletes expired events, and reseals secrets with the newest key.
func (r *Relay) sweep(ctx context.Context) error {
	now, expiring, resealing := time.Now(), failures{}, failures{}
	err := each(ctx, expiring, r.outbox.Organizations, func(org shipments.OrgID) (bool, error) {
		n, err := r.outbox.Expire(ctx, org, now, batch)
		return n == batch, err
	})
	if err == nil {
		err = each(ctx, resealing, r.outbox.Organizations, func(org shipments.OrgID) (bool, error) {
			return false, r.outbox.Reseal(ctx, org)
		})
	}
	return errors.Join(err, expiring.err(), resealing.err())
}

// failures has the errors of organizations whose work failed.
type failures map[shipments.OrgID]error

// err returns the errors as one, or nil.
func (f failures) err() error {
	var all []error
	for org, err := range f {
		all = append(all, fmt.Errorf("organization %x: %w", org, err))
	}
	return errors.Join(all...)
}

// each calls do for every organization that find returns, in rounds, until do reports
// no more work. Organizations that have failed are skipped. Its error is that of find or
// of ctx, or of an outage, in which several organizations in a row fail.
func each(
	ctx context.Context, failed failures, find func(context.Context, shipments.OrgID, int) ([]shipments.OrgID, error),
	do func(shipments.OrgID) (more bool, err error),
) error {
	for more := true; more; {
		more = false
		inARow := 0
		for after, last := (shipments.OrgID{}), false; !last; {
			orgs, err := find(ctx, after, neighbors)
			if err != nil {
				return err
			}
			last = len(orgs) < neighbors
			for _, org := range orgs {
				if after = org; failed[org] != nil {
					continue
				}
				again, err := do(org)
				switch {
				case ctx.Err() != nil:
					return ctx.Err()
				case err == nil:
					more, inARow = more || again, 0
					continue
				}
				failed[org] = err
				if inARow++; inARow == outage {
					return err
				}
			}
		}
	}
	return nil
}
