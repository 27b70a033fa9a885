package shipments

import (
	"context"
	"time"
)

// MaxWait is how long a GetQuery may wait.
const MaxWait = 25 * time.Second

// GetQuery requests a shipment, optionally once it has changed.
type GetQuery struct {
	ID   ID
	Wait time.Duration // at most MaxWait; 0: answer at once
	// Known reports whether the caller has this version, so that the wait goes
	// on. nil: the caller has the current one.
	Known func(version int64) bool
}

// Waits implements endpoints.Waiter.
func (l GetQuery) Waits() time.Duration { return l.Wait }

// GetResult is the result of Get.
type GetResult struct {
	Detail
	// Waited is false without a wait in the query, and where none was granted
	// because too many requests wait.
	Waited bool
}

// Get returns a shipment with its pallets and checks, or ErrNotFound. With a wait
// it returns once the shipment has a version that the caller does not know, when
// the wait or the service ends, or at once if too many requests wait.
func (s *Service) Get(ctx context.Context, org OrgID, l GetQuery) (GetResult, error) {
	var found GetResult
	var err error
	if l.Wait > 0 {
		if found.Waited, err = s.wait(ctx, org, l); err != nil {
			return GetResult{}, err
		}
	}
	found.Detail, err = s.repo.Get(ctx, org, l.ID)
	return found, err
}

// wait waits for a change, and reports whether that was granted.
func (s *Service) wait(ctx context.Context, org OrgID, l GetQuery) (granted bool, err error) {
	head, err := s.repo.Head(ctx, org, l.ID)
	if err != nil {
		return false, err
	}
	known := l.Known
	if known == nil {
		known = func(version int64) bool { return version == head.Version }
	}
	if !known(head.Version) {
		return true, nil
	}
	w := &waiter{org: org, id: l.ID, known: known, done: make(chan error, 1)}
	if !s.watch.add(w, s.repo.Head) { //nolint:contextcheck // the poller serves all waiters, not this request
		return false, nil
	}
	defer s.watch.remove(w)
	over := time.NewTimer(l.Wait)
	defer over.Stop()
	select {
	case err := <-w.done:
		return true, err
	case <-over.C:
		return true, nil
	case <-s.closing:
		return true, nil
	case <-ctx.Done():
		return true, ctx.Err()
	}
}

// Drain ends every wait, now and from now on, for a graceful shutdown.
func (s *Service) Drain() {
	s.drained.Do(func() { close(s.closing) })
}
