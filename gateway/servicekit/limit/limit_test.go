package limit_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/limit"
)

func acquire(t *testing.T, s *limit.Shares[string], key string, n int64, want error) (release func()) {
	t.Helper()
	release, err := s.Acquire(t.Context(), key, n)
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", key, err, want)
	}
	return release
}

func TestARefusalSaysWhoseUseItIs(t *testing.T) {
	t.Parallel()
	s := limit.New[string](limit.Config{Total: 6, Each: 4})
	first := acquire(t, s, "a", 100, nil) // as 4
	acquire(t, s, "a", 1, limit.ErrShare)
	acquire(t, s, "b", 3, limit.ErrTotal)
	acquire(t, s, "b", 2, nil)
	first()
	first() // no effect
	acquire(t, s, "c", 4, nil)
	acquire(t, s, "d", 1, limit.ErrTotal)
}

func TestTheKeyThatUsesLeastIsServedFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := limit.New[string](limit.Config{Total: 4, Each: 4, Queue: 8, Wait: time.Second})
		held := []func(){acquire(t, s, "busy", 2, nil), acquire(t, s, "other", 2, nil)}
		served := make(chan string, 5)
		for _, key := range []string{"busy", "busy", "quiet", "other", "quiet"} {
			go func() {
				defer acquire(t, s, key, 2, nil)()
				served <- key
			}()
			synctest.Wait()
		}
		held[0]()
		var order []string
		for range cap(served) {
			order = append(order, <-served)
		}
		if want := []string{"busy", "quiet", "busy", "quiet", "other"}; !slices.Equal(order, want) {
			t.Errorf("%v, want %v", order, want)
		}
		held[1]()
		synctest.Wait()
	})
}

func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := limit.New[string](limit.Config{Total: 2, Each: 1, Queue: 1, Wait: time.Second})
		acquire(t, s, "a", 1, nil)
		go acquire(t, s, "a", 1, limit.ErrShare) // after a second
		synctest.Wait()
		acquire(t, s, "a", 1, limit.ErrShare) // at once: the queue is full
		release := acquire(t, s, "b", 1, nil)
		acquire(t, s, "c", 1, limit.ErrTotal)

		soon, stop := context.WithTimeout(t.Context(), time.Millisecond)
		defer stop()
		if _, err := s.Acquire(soon, "b", 1); !errors.Is(err, limit.ErrShare) {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error)
		go func() {
			_, err := s.Acquire(ctx, "c", 1)
			left <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		release()
		acquire(t, s, "c", 1, nil) // what was refused holds nothing
	})
}

// TestWhatIsHeldForAPeerGivesWay to keys that use less, the oldest of the key that uses most first.
func TestWhatIsHeldForAPeerGivesWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := limit.New[string](limit.Config{Total: 8, Each: 5, Queue: 1, Wait: time.Second})
		var revoked []string
		slow := func(key, name string, n int64) {
			var release func()
			release, err := s.AcquireRevocable(t.Context(), key, n, func() {
				revoked = append(revoked, name)
				release()
			})
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		slow("busy", "first", 2)
		slow("busy", "second", 3)
		slow("other", "third", 3)
		acquire(t, s, "busy", 1, limit.ErrShare) // its own share is no reason
		synctest.Wait()
		if revoked != nil {
			t.Errorf("%v", revoked)
		}
		acquire(t, s, "quiet", 2, nil)
		acquire(t, s, "quiet", 1, limit.ErrTotal) // it would use as much as the others
		if want := []string{"first"}; !slices.Equal(revoked, want) {
			t.Errorf("%v, want %v", revoked, want)
		}
	})
}
