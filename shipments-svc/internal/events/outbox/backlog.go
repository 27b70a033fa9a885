package outbox

import (
	"context"
	"sync"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const (
	shrink   = 4           // by which a batch that failed is divided
	longest  = time.Minute // backoff of an organization
	reported = 2           // failures in a row after which it counts as failing
	outage   = 3           // organizations that fail in a row before a pass gives up
)

// backlog goes through the organizations for which there is work. One that
// fails does not stop the others. The next time its batch is smaller, so that
// work which times out as a whole is done in parts; where even the smallest batch
// fails, the time between attempts grows exponentially. After a success batches
// grow back slowly.
type backlog struct {
	batch  int // at most, in one transaction
	report func(org shipments.OrgID, err error, failing int)

	mu      sync.Mutex
	state   map[shipments.OrgID]*state // of those that have failed lately
	failing int
}

// state is how the work for an organization goes.
type state struct {
	failures int       // in a row
	smallest int       // of these, with batches of one
	until    time.Time // before which it is not tried
	batch    int
	found    bool // there was work for it in the present pass
}

func newBacklog(batch int, report func(shipments.OrgID, error, int)) *backlog {
	return &backlog{batch: batch, report: report, state: map[shipments.OrgID]*state{}}
}

// each calls do, with the size of a batch, for every organization that find
// finds. It returns an error only when find fails, ctx ends, or several
// organizations in a row fail, which is no fault of theirs.
func (b *backlog) each(ctx context.Context, find func(context.Context, shipments.OrgID, int) ([]shipments.OrgID, error), do func(shipments.OrgID, int) error) error {
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
			b.forget()
			return nil
		}
		after = orgs[len(orgs)-1]
	}
}

// limit returns the size of an organization's next batch; 0 while its backoff
// lasts.
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

// note notes how a batch went.
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

// recovered ends an organization's row of failures.
func (b *backlog) recovered(org shipments.OrgID, s *state) {
	if s.failures >= reported {
		b.failing--
		b.report(org, nil, b.failing)
	}
	s.failures, s.smallest = 0, 0
}

// forget drops the state of organizations for which a whole pass found no work:
// another Relay has done it.
func (b *backlog) forget() {
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
