package tokens

import (
	"context"
	"math"
	"time"
)

const (
	// heartbeat is the interval of heartbeats.
	heartbeat = time.Second
	// feedBatch is how many changes are read at once.
	feedBatch = 1000
	// feedTimeout is how long one reading of the changes may take.
	feedTimeout = 2 * time.Second
)

// Change is a change of a token. One without a token is a heartbeat: every change up to its revision was sent before.
type Change struct {
	Revision int64      `json:"rev"`
	Token    TokenID    `json:"token,omitempty"`
	Kind     ChangeKind `json:"kind,omitempty"`
	// Epoch identifies the history of the storage. Another epoch means that the storage was restored, or that a replica
	// was promoted, so that revisions may have been lost and used again.
	Epoch string `json:"epoch"`
}

// Follow passes the changes after a revision to emit, in the order of revisions and without a gap, and each second a
// heartbeat. It reads changes when the channel that next returned before is closed and at each heartbeat, so a lost
// notification costs a second at most. Without a revision (after is nil) it begins at the newest.
//
// On a change or heartbeat of another epoch, and on a heartbeat whose revision is lower than one sent before, or than
// after, followers must discard their caches and continue from there.
//
// It returns when ctx ends, with the error with which emit or the repository
// fails: every heartbeat was read from the storage just before.
func (s *Service) Follow(
	ctx context.Context, after *int64, next func() <-chan struct{}, emit func(Change) error,
) error {
	at := int64(math.MaxInt64)
	if after != nil {
		at = *after
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for due, epoch := true, ""; ; {
		notified := next() // of what the reading does not see
		reading, cancel := context.WithTimeout(ctx, feedTimeout)
		changes, upTo, read, err := s.repo.Changes(reading, at, feedBatch)
		cancel()
		if err != nil {
			return err
		}
		for _, c := range changes {
			c.Epoch = read
			if err := emit(c); err != nil {
				return err
			}
		}
		due = due || upTo < at || read != epoch
		at, epoch = upTo, read
		if len(changes) == feedBatch {
			continue
		}
		if due {
			if err := emit(Change{Revision: at, Epoch: epoch}); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-notified:
			due = false
		case <-beat.C:
			due = true
		}
	}
}
