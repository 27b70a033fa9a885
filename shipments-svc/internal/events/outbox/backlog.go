package outbox

import (
	"context"
	"sync"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const (
	shrink   = 4           // divisor of a batch after a failure
	longest  = time.Minute // maximum backoff of an organization
	reported = 2           // consecutive failures that are reported
	outage   = 3           // consecutive failing organizations that end a pass
)

// backlog iterates over the organizations with work. A failing one does not stop the
// others. Its next batch is smaller, so that work that times out is split; if the
// smallest batch fails, it backs off exponentially. After successes batches grow
// slowly.
type backlog struct {
	batch  int // maximum, in one transaction
	report func(org shipments.OrgID, err error, failing int)

	mu      sync.Mutex
	state   map[shipments.OrgID]*state // of organizations that failed recently
	failing int
}

// state is the state of the work for an organization.
type state struct {
	failures int       // consecutive
	smallest int       // of them, with batches of one
	until    time.Time // end of its backoff
	batch    int
	found    bool // it had work in the current pass
}

func newBacklog(batch int, report func(shipments.OrgID, error, int)) *backlog {
	return &backlog{batch: batch, report: report, state: map[shipments.OrgID]*state{}}
}

// each calls do with a batch size for every organization that find returns. It
// returns an error only if find fails, ctx ends, or several consecutive
// organizations fail, as in an outage.
func (b *backlog) each(
	ctx context.Context, find func(context.Context, shipments.OrgID, int) ([]shipments.OrgID, error),
	do func(shipments.OrgID, int) error,
) error {
	var after shipments.OrgID
	failed := 0
	for {
		orgs, err := find(ctx, after, neighbors)
		if err != nil {
			return err
		}
		for _, org := range orgs {
			limit := b.limit(org)
			if limit == 0 {
				continue
			}
			err := do(org, limit)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			b.note(org, err)
			if failed++; err == nil {
				failed = 0
			}
			if failed == outage {
				return err
			}
		}
		if len(orgs) < neighbors {
			b.prune()
			return nil
		}
		after = orgs[len(orgs)-1]
	}
}

// limit returns the size of the next batch of an organization; 0 during its backoff.
func (b *backlog) limit(org shipments.OrgID) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.state[org]
	if s == nil {
		return b.batch
	}
	if s.found = true; time.Now().Before(s.until) {
		return 0
	}
	return s.batch
}

// note records the result of a batch.
func (b *backlog) note(org shipments.OrgID, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.state[org]
	if err == nil {
		if s != nil {
			b.recovered(org, s)
			if s.batch = s.batch + max(1, b.batch/20); s.batch >= b.batch {
				delete(b.state, org)
			}
		}
		return
	}
	if s == nil {
		s = &state{batch: b.batch, found: true}
		b.state[org] = s
	}
	s.until = time.Now().Add(min(Poll<<min(s.smallest, 10), longest))
	if s.failures++; s.batch == 1 {
		s.smallest++
	}
	s.batch = max(1, s.batch/shrink)
	if s.failures == reported {
		b.failing++
		b.report(org, err, b.failing)
	}
}

// recovered resets the failures of an organization.
func (b *backlog) recovered(org shipments.OrgID, s *state) {
	if s.failures >= reported {
		b.failing--
		b.report(org, nil, b.failing)
	}
	s.failures, s.smallest = 0, 0
}

// prune drops the state of organizations without work in a whole pass: another Relay
// has done it.
func (b *backlog) prune() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for org, s := range b.state {
		if !s.found {
			b.recovered(org, s)
			delete(b.state, org)
		}
		s.found = false
	}
}
