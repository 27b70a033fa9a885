package shipments

import (
	"context"
	"fmt"
	"time"
)

const (
	// MaxWait is how long a Look may wait.
	MaxWait = 25 * time.Second
	// pollEvery is how often a shipment that is waited for is looked at.
	pollEvery = 500 * time.Millisecond
)

// Look asks for a shipment, perhaps not before it changes.
type Look struct {
	ID   ID
	Wait time.Duration // at most MaxWait; 0: answer at once
	// Known reports whether the caller has this version, so that it is not
	// worth an answer yet. nil: he has the present one.
	Known func(version int64) bool
}

// Waits is how much longer than others the request may take.
func (l Look) Waits() time.Duration { return l.Wait }

// Get returns a shipment with its pallets and checks, or ErrNotFound. If the
// caller waits, that is once the shipment has a version that he does not know;
// or as it is when the wait or the service ends.
func (s *Service) Get(ctx context.Context, org OrgID, l Look) (Detail, error) {
	if l.Wait > 0 {
		if err := s.wait(ctx, org, l); err != nil {
			return Detail{}, fmt.Errorf("await shipment: %w", err)
		}
	}
	d, err := s.repo.Get(ctx, org, l.ID)
	if err != nil {
		return Detail{}, fmt.Errorf("get shipment: %w", err)
	}
	return d, nil
}

func (s *Service) wait(ctx context.Context, org OrgID, l Look) error {
	over := time.NewTimer(l.Wait)
	defer over.Stop()
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	known := l.Known
	for {
		head, err := s.repo.Head(ctx, org, l.ID)
		if err != nil {
			return err
		}
		if known == nil {
			known = func(version int64) bool { return version == head.Version }
		}
		if !known(head.Version) {
			return nil
		}
		select {
		case <-poll.C:
		case <-over.C:
			return nil
		case <-s.closing:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Drain ends every wait, now and from now on, as when the program is told to
// stop.
func (s *Service) Drain() {
	s.drained.Do(func() { close(s.closing) })
}
