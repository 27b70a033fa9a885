package tokens_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// listener collects the changes that Follow sends.
type listener struct {
	mu       sync.Mutex
	received []string
	notified chan struct{}
	err      error
}

// listen follows until the test ends.
func listen(t *testing.T, s *tokens.Service, after *int64) *listener {
	t.Helper()
	l := &listener{notified: make(chan struct{}, 1)}
	go func() {
		l.err = s.Follow(t.Context(), after, func() <-chan struct{} { return l.notified }, func(c tokens.Change) error {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.received = append(l.received, fmt.Sprintf("%d%s%s", c.Revision, c.Kind, c.Epoch))
			return nil
		})
	}()
	return l
}

// wants waits until nothing moves, and checks the lines received since.
func (l *listener) wants(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Equal(l.received, want) {
		t.Errorf("received %q, want %q", l.received, want)
	}
	l.received = nil
}

func TestFollowerGetsEachChangeInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _ := newService(t, newMemory(), tokens.Config{Peppers: peppers(t, 1)})
		first, _ := create(t, s)
		create(t, s)

		fresh := listen(t, s, nil)
		fresh.wants(t, "2")
		behind := listen(t, s, new(int64(0)))
		behind.wants(t, "1created", "2created", "2")
		ahead := listen(t, s, new(int64(7))) // of a database that was put back
		ahead.wants(t, "2")

		if _, err := s.RotateToken(t.Context(), tokens.Operator(), someOrg, first.ID, time.Minute); err != nil {
			t.Fatal(err)
		}
		fresh.wants(t) // it was not notified
		fresh.notified <- struct{}{}
		fresh.wants(t, "3created", "4rotated")
		time.Sleep(time.Second) // the heartbeat finds it as well
		behind.wants(t, "3created", "4rotated", "4")
		ahead.wants(t, "3created", "4rotated", "4")
		fresh.wants(t, "4")
		time.Sleep(3 * time.Second)
		fresh.wants(t, "4", "4", "4")
	})
}

func TestFollowerGetsMissedChangesFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		repo := newMemory()
		s, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 1)})
		for range 2500 {
			create(t, s)
		}
		l := listen(t, s, new(int64(1)))
		synctest.Wait()
		l.mu.Lock()
		defer l.mu.Unlock()
		if n := len(l.received); n != 2500 || l.received[0] != "2created" ||
			l.received[2498] != "2500created" || l.received[2499] != "2500" {
			t.Errorf("%d lines, from %s to %s", n, l.received[0], l.received[n-1])
		}
	})
}

// TestHeartbeatsFollowTheStoredRevision: where the storage cannot be asked the following ends,
// and after a restore the lower revision is sent.
func TestHeartbeatsFollowTheStoredRevision(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		repo := newMemory()
		s, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 1)})
		create(t, s)
		create(t, s)
		l := listen(t, s, nil)
		l.wants(t, "2")
		repo.mu.Lock()
		repo.changes, repo.revision = repo.changes[:1], 1
		repo.mu.Unlock()
		l.notified <- struct{}{}
		l.wants(t, "1")
		repo.mu.Lock()
		repo.down = tokens.ErrUnavailable
		repo.mu.Unlock()
		time.Sleep(time.Second)
		l.wants(t)
		if !errors.Is(l.err, tokens.ErrUnavailable) {
			t.Errorf("it ended with %v", l.err)
		}
	})
}

// A replica without the newest changes was promoted, and revisions are used again.
func TestEveryLineHasItsEpochAndANewOneIsSentAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		repo := newMemory()
		repo.epoch = "@a"
		s, _ := newService(t, repo, tokens.Config{Peppers: peppers(t, 1)})
		create(t, s)
		l := listen(t, s, new(int64(0)))
		l.wants(t, "1created@a", "1@a")
		change := func(epoch string) {
			repo.mu.Lock()
			defer repo.mu.Unlock()
			repo.epoch = epoch
		}
		change("@b")
		l.notified <- struct{}{}
		l.wants(t, "1@b")
		create(t, s)
		change("@c")
		l.notified <- struct{}{}
		l.wants(t, "2created@c", "2@c")
	})
}

func TestFollowingEndsWithItsFollower(t *testing.T) {
	t.Parallel()
	s, _ := newService(t, newMemory(), tokens.Config{Peppers: peppers(t, 1)})
	gone := errors.New("broken pipe")
	never := func() <-chan struct{} { return nil }
	for range 2 {
		create(t, s)
		for _, after := range []*int64{nil, new(int64(0))} {
			err := s.Follow(t.Context(), after, never, func(tokens.Change) error { return gone })
			if !errors.Is(err, gone) {
				t.Errorf("%v", err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Follow(ctx, nil, never, func(tokens.Change) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
