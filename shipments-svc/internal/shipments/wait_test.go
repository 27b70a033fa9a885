package shipments

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestAWaitEndsWithTheChange, and without one when it is over. Time is the
// test's own.
func TestAWaitEndsWithTheChange(t *testing.T) {
	t.Parallel()
	knows := func(v int64) func(int64) bool { return func(version int64) bool { return version == v } }
	for name, c := range map[string]struct {
		look    GetQuery
		changes time.Duration // 0: never
		took    time.Duration
	}{
		"no wait":                        {GetQuery{}, 0, 0},
		"nothing happens":                {GetQuery{Wait: 3 * time.Second}, 0, 3 * time.Second},
		"nothing happens to what I have": {GetQuery{Wait: 3 * time.Second, Known: knows(4)}, 0, 3 * time.Second},
		"I have an older one":            {GetQuery{Wait: 3 * time.Second, Known: knows(3)}, 0, 0},
		"it changes":                     {GetQuery{Wait: MaxWait}, 1700 * time.Millisecond, 2 * time.Second},
		"what I have changes":            {GetQuery{Wait: MaxWait, Known: knows(4)}, 24 * time.Second, 24 * time.Second},
		"it changes too late":            {GetQuery{Wait: time.Second}, 1700 * time.Millisecond, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k, begun := at(Pending), time.Now()
				k.looked = func(k *fakeRepository) {
					if c.changes > 0 && time.Since(begun) >= c.changes {
						k.head.Version = 5
					}
				}
				_, err := service(k).Get(t.Context(), OrgID{1}, c.look)
				if took := time.Since(begun); err != nil || took != c.took {
					t.Errorf("it took %s, want %s (%v)", took, c.took, err)
				}
			})
		})
	}
}

func TestAWaitEndsWithItsClientAndWithTheService(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, begun := service(at(Pending)), time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
		defer cancel()
		if _, err := s.Get(ctx, OrgID{1}, GetQuery{Wait: MaxWait}); !errors.Is(err, context.DeadlineExceeded) ||
			time.Since(begun) != 700*time.Millisecond {
			t.Errorf("%v after %s", err, time.Since(begun))
		}
		done := make(chan error)
		go func() {
			_, err := s.Get(t.Context(), OrgID{1}, GetQuery{Wait: MaxWait})
			done <- err
		}()
		synctest.Wait()
		s.Drain()
		s.Drain()
		if err := <-done; err != nil || time.Since(begun) != 700*time.Millisecond {
			t.Errorf("%v after %s", err, time.Since(begun))
		}
	})
}

// TestWaitsOfAnOrganizationReadTheDatabaseTogether: once in each interval, for any number of shipments.
func TestWaitsOfAnOrganizationReadTheDatabaseTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := at(Pending)
		var looks atomic.Int64 // the last round may be read while the waits end
		k.looked = func(*fakeRepository) { looks.Add(1) }
		s := service(k)
		var waiting sync.WaitGroup
		for i := range maxOrgWaits {
			waiting.Go(func() {
				if _, err := s.Get(t.Context(), OrgID{1}, GetQuery{ID: ID{byte(i)}, Wait: 10 * time.Second}); err != nil {
					t.Error(err)
				}
			})
		}
		waiting.Wait()
		if n := looks.Load() - maxOrgWaits; n > 20 { // each began with a look of its own
			t.Errorf("it was read %d times in 10 seconds", n)
		}
	})
}

// TestWaitsAreBounded: beyond so many of an organization they are answered at once.
func TestWaitsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := at(Pending)
		s, begun := service(k), time.Now()
		var waiting sync.WaitGroup
		for range maxOrgWaits {
			waiting.Go(func() {
				if found, err := s.Get(t.Context(), OrgID{1}, GetQuery{Wait: 2 * time.Second}); err != nil || !found.Waited ||
					time.Since(begun) != 2*time.Second {
					t.Errorf("waited %t, after %s (%v)", found.Waited, time.Since(begun), err)
				}
			})
		}
		synctest.Wait()
		if found, err := s.Get(t.Context(), OrgID{1}, GetQuery{Wait: MaxWait}); err != nil || found.Waited ||
			time.Since(begun) != 0 {
			t.Errorf("one too many waited %t, after %s (%v)", found.Waited, time.Since(begun), err)
		}
		if found, err := s.Get(t.Context(), OrgID{0xe1}, GetQuery{Wait: MaxWait}); err != nil || found.Waited {
			t.Errorf("one with a test token waited %t (%v)", found.Waited, err)
		}
		waiting.Go(func() {
			if found, err := s.Get(t.Context(), OrgID{2}, GetQuery{Wait: time.Second}); err != nil || !found.Waited {
				t.Errorf("another organization waited %t (%v)", found.Waited, err)
			}
		})
		waiting.Wait()
		for range 2 { // room is given back
			if found, err := s.Get(t.Context(), OrgID{1}, GetQuery{Wait: time.Second}); err != nil || !found.Waited {
				t.Errorf("waited %t (%v)", found.Waited, err)
			}
		}
	})
}

// TestThePartitionsOfAnOrganizationHaveOneShare: the ids of live data begin with org_0, those of test data with org_7.
func TestThePartitionsOfAnOrganizationHaveOneShare(t *testing.T) {
	t.Parallel()
	live, test, other := OrgID{0x01, 0x9f, 15: 1}, OrgID{0xe1, 0x9f, 15: 1}, OrgID{0x01, 0x9f, 15: 2}
	if OrganizationOf(live) != OrganizationOf(test) || OrganizationOf(live) == OrganizationOf(other) {
		t.Errorf("%x, %x, %x", OrganizationOf(live), OrganizationOf(test), OrganizationOf(other))
	}
}
