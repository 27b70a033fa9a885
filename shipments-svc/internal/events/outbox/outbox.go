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
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/process/background"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const (
	// Poll is the interval at which a Relay queries for events of other processes.
	Poll = time.Second
	// SweepEvery is the interval at which a Relay deletes expired events.
	SweepEvery = time.Hour

	batch     = 200 // events in one transaction
	neighbors = 100 // organizations found by one query
)

// Outbox stores events until they are numbered. Each method is atomic.
type Outbox interface {
	// Waiting returns up to limit organizations after the given one, in a fixed order, with events to number.
	Waiting(ctx context.Context, after shipments.OrgID, limit int) ([]shipments.OrgID, error)
	// Number numbers up to limit events of an organization, its first ones, and none while another call does. It returns
	// their number and the age of the oldest.
	Number(ctx context.Context, org shipments.OrgID, limit int) (int, time.Duration, error)
	// Organizations returns up to limit organizations after the given one, in a fixed order, of which something expires
	// or is encrypted.
	Organizations(ctx context.Context, after shipments.OrgID, limit int) ([]shipments.OrgID, error)
	// Expire deletes up to limit things of each kind whose time is over now, and returns the number of those of the kind
	// with most.
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

// Run numbers events until ctx ends, and sweeps beside that.
func (r *Relay) Run(ctx context.Context) {
	var sweeping sync.WaitGroup
	sweeping.Go(func() { background.Repeat(ctx, SweepEvery, nil, r.Swept, r.sweep) })
	background.Repeat(ctx, Poll, r.Announced, r.Note, r.pass)
	sweeping.Wait()
}

// pass numbers all events, a batch of each organization at a time.
func (r *Relay) pass(ctx context.Context) error {
	return each(ctx, r.outbox.Waiting, func(org shipments.OrgID) (bool, error) {
		n, waited, err := r.outbox.Number(ctx, org, batch)
		if n > 0 {
			r.Numbered(n, waited)
		}
		return n == batch, err
	})
}

// sweep deletes expired events, and reseals secrets with the newest key.
func (r *Relay) sweep(ctx context.Context) error {
	now := time.Now()
	return errors.Join(
		each(ctx, r.outbox.Organizations, func(org shipments.OrgID) (bool, error) {
			n, err := r.outbox.Expire(ctx, org, now, batch)
			return n == batch, err
		}),
		each(ctx, r.outbox.Organizations, func(org shipments.OrgID) (bool, error) {
			return false, r.outbox.Reseal(ctx, org)
		}),
	)
}

// each calls do for every organization that find returns, in rounds, until do reports no
// more work. Organizations that fail are skipped from then on, and are in the error. The
// error of find, of ctx, or of an unavailable database ends it.
func each(
	ctx context.Context, find func(context.Context, shipments.OrgID, int) ([]shipments.OrgID, error),
	do func(shipments.OrgID) (more bool, err error),
) error {
	failed := map[shipments.OrgID]error{}
	for more := true; more; {
		more = false
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
				if ctx.Err() != nil || errors.Is(err, shipments.ErrUnavailable) {
					return errors.Join(ctx.Err(), err)
				}
				if err != nil {
					failed[org] = fmt.Errorf("organization %x: %w", org, err)
				}
				more = more || again
			}
		}
	}
	return errors.Join(slices.Collect(maps.Values(failed))...)
}
