package worker

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// turns schedules organizations: round robin, those without a running job first, and
// at most limit jobs each. It is safe for concurrent use.
type turns struct {
	limit int // jobs of one organization at a time

	mu      sync.Mutex
	last    shipments.OrgID // served last
	running map[shipments.OrgID]int
}

// claim claims a job of the organization whose turn it is.
func (t *turns) claim(ctx context.Context, jobs shipments.Jobs) (shipments.Job, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var lease shipments.Lease
	_, _ = rand.Read(lease[:])
	j, err := jobs.Claim(ctx, lease, shipments.Turn{After: t.last, Except: t.with(1)})
	if errors.Is(err, shipments.ErrNoJob) && len(t.running) > 0 {
		j, err = jobs.Claim(ctx, lease, shipments.Turn{After: t.last, Except: t.with(t.limit)})
	}
	if err != nil {
		return shipments.Job{}, err
	}
	if t.running == nil {
		t.running = map[shipments.OrgID]int{}
	}
	t.last = j.Org
	t.running[j.Org]++
	return j, nil
}

// end ends a job that claim returned.
func (t *turns) end(org shipments.OrgID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running[org]--; t.running[org] == 0 {
		delete(t.running, org)
	}
}

// with returns the organizations with at least n running jobs.
func (t *turns) with(n int) (orgs []shipments.OrgID) {
	for org, running := range t.running {
		if running >= n {
			orgs = append(orgs, org)
		}
	}
	return orgs
}
