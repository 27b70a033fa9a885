package worker

import (
	"context"
	"crypto/rand"
	"sync"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// turns schedules organizations: round robin, and at most limit jobs each. It is safe for
// concurrent use.
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
	turn := shipments.Turn{After: t.last}
	for org, running := range t.running {
		if running >= t.limit {
			turn.Except = append(turn.Except, org)
		}
	}
	j, err := jobs.Claim(ctx, lease, turn)
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
