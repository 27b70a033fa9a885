package worker

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// turns schedules organizations: round robin, those before others that have no
// job here, and none with more jobs than the limit. It is safe for concurrent
// use.
type turns struct {
	limit int // jobs of one organization at a time

	mu      sync.Mutex
	last    shipments.OrgID // that was served
	running map[shipments.OrgID]int
}

// claim claims a job of the organization whose turn it is, until end.
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

// end says that a job which claim returned is no longer worked on.
func (t *turns) end(org shipments.OrgID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running[org]--; t.running[org] == 0 {
		delete(t.running, org)
	}
}

// with returns the organizations that have at least n jobs.
func (t *turns) with(n int) (orgs []shipments.OrgID) {
	for org, running := range t.running {
		if running >= n {
			orgs = append(orgs, org)
		}
	}
	return orgs
}
