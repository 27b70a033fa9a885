package shipments

import (
	"cmp"
	"context"
	"time"
)

// MaxWait is how long a GetQuery may wait.
const MaxWait = 25 * time.Second

// Bounds of waiting. Beyond them a GetQuery is answered at once.
const (
	maxWaits    = 500 // of a Service
	maxOrgWaits = 50  // of one organization
)

const (
	// pollEvery is the interval at which the versions are read of the shipments of an organization that requests wait
	// for, where few organizations wait. pollSlower is how many lengthen it once more by as much.
	pollEvery  = 500 * time.Millisecond
	pollSlower = 50
	// pollTimeout bounds reading them.
	pollTimeout = time.Second
)

// GetQuery requests a shipment, optionally once it has changed.
type GetQuery struct {
	ID   ID
	Wait time.Duration // at most MaxWait; 0: answer at once
	// Known reports whether the caller has this version, so that the wait goes
	// on. nil: the caller has the current one.
	Known func(version int64) bool
	// Shown is how many bytes of pallets are shown, at most MaxShown, which is also what 0 means.
	Shown int64
}

// Waits returns how much longer than others the request may take.
func (l GetQuery) Waits() time.Duration { return l.Wait + ReadWait }

// GetResult is the result of Get.
type GetResult struct {
	Detail
	// Waited is false without a wait in the query, and where none was granted
	// because too many requests wait.
	Waited bool
	// Lines is how many lines the pallets have, if they are too large to be shown: then Pallets has the first page of
	// Service.Pallets. Zero: it has all.
	Lines int64
	// Release ends the use of memory for the shipment, once it has been sent.
	Release func()
}

// Get returns a shipment with its pallets and checks, or ErrNotFound. With a wait
// it returns once the shipment has a version that the caller does not know, when
// the wait or the service ends, or at once if too many requests wait. Release must be called.
func (s *Service) Get(ctx context.Context, org OrgID, l GetQuery) (found GetResult, err error) {
	if l.Wait > 0 {
		if found.Waited, err = s.wait(ctx, org, l); err != nil {
			return GetResult{}, err
		}
	}
	for {
		found.Detail, found.Release, err = s.read(ctx, org, l.ID, Parts{Pallets: cmp.Or(l.Shown, MaxShown)})
		if err != nil || found.Pallets != nil {
			return found, err
		}
		found.Release()
		page, err := s.Pallets(ctx, org, PageQuery{ID: l.ID})
		if err != nil {
			return found, err
		}
		for _, part := range page.Pallets {
			found.Pallets = append(found.Pallets, part.Pallet)
		}
		found.Lines, found.Release = page.Total, page.Release
		if page.Version == found.Version {
			return found, nil
		}
		page.Release()
	}
}

// wait waits for a change, and reports whether that was granted.
func (s *Service) wait(ctx context.Context, org OrgID, l GetQuery) (granted bool, err error) {
	head, err := s.repo.Head(ctx, org, l.ID)
	if err != nil {
		return false, err
	}
	known, first := l.Known, head.Version
	if known == nil {
		known = func(version int64) bool { return version == first }
	}
	if !known(head.Version) {
		return true, nil
	}
	release, err := s.waits.Acquire(ctx, OrganizationOf(org), 1)
	if err != nil {
		return false, ctx.Err()
	}
	defer release()
	over := time.NewTimer(l.Wait)
	defer over.Stop()
	for version := head.Version; known(version); {
		r := s.nextRound(org, l.ID) //nolint:contextcheck // a round is of all that wait
		select {
		case <-r.read:
		case <-over.C:
			return true, nil
		case <-s.closing:
			return true, nil
		case <-ctx.Done():
			return true, ctx.Err()
		}
		if r.err != nil {
			return true, r.err
		}
		version = r.versions[l.ID] // 0: it was deleted
	}
	return true, nil
}

// round is one look at the versions of the shipments of an organization that requests wait for. All of them share it.
type round struct {
	ids      []ID
	read     chan struct{} // closed when versions or err are set
	versions map[ID]int64
	err      error
}

// nextRound returns the round to come, which includes the shipment.
func (s *Service) nextRound(org OrgID, id ID) *round {
	s.roundsMu.Lock()
	defer s.roundsMu.Unlock()
	r := s.rounds[org]
	if r == nil {
		r = &round{read: make(chan struct{})}
		s.rounds[org] = r
		time.AfterFunc(pollEvery*time.Duration(1+len(s.rounds)/pollSlower), func() { s.readRound(org, r) })
	}
	r.ids = append(r.ids, id)
	return r
}

func (s *Service) readRound(org OrgID, r *round) {
	s.roundsMu.Lock()
	delete(s.rounds, org)
	s.roundsMu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), pollTimeout)
	defer cancel()
	r.versions, r.err = s.repo.Versions(ctx, org, r.ids)
	close(r.read)
}

// Drain ends every wait, now and from now on, for a graceful shutdown.
func (s *Service) Drain() {
	s.drained.Do(func() { close(s.closing) })
}
