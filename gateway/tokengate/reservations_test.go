package tokengate

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Of any number of requests at once, exactly as many get through as are charged, whatever their order; those that
// prove free of charge take nothing from the others.
func TestReservationsNeverExceedTheRemainder(t *testing.T) {
	t.Parallel()

	const limit = 100
	var r reservations
	var charged, through, refused atomic.Int64
	left := func() (int, error) { return limit - int(charged.Load()), nil } //nolint:unparam // the signature of reserve
	var all sync.WaitGroup
	for n := range 1000 {
		all.Go(func() {
			release, err := r.reserve(t.Context(), "address:x", left)
			if err != nil {
				if !errors.Is(err, errNoneLeft) {
					t.Error(err)
				}
				refused.Add(1)
				return
			}
			defer release()
			if n%4 == 0 {
				return // a valid token
			}
			through.Add(1)
			charged.Add(1)
		})
	}
	all.Wait()
	if through.Load() != limit || charged.Load() != limit || refused.Load() < 650 {
		t.Errorf("%d got through, %d were charged, %d refused", through.Load(), charged.Load(), refused.Load())
	}
	if len(r.byID) != 0 {
		t.Errorf("%d entries are kept", len(r.byID))
	}
}

func TestAReservationIsWaitedForUntilTheContextEnds(t *testing.T) {
	t.Parallel()

	var r reservations
	one := func() (int, error) { return 1, nil }
	release, err := r.reserve(t.Context(), "a", one)
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.reserve(over, "a", one); !errors.Is(err, errAllReserved) {
		t.Errorf("while all is reserved: %v", err)
	}
	if other, err := r.reserve(t.Context(), "b", one); err != nil {
		t.Errorf("another id: %v", err)
	} else {
		other()
	}
	next := make(chan error)
	go func() {
		release, err := r.reserve(t.Context(), "a", one)
		if err == nil {
			release()
		}
		next <- err
	}()
	release()
	select {
	case err := <-next:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("no waiting request goes on after a reservation was released")
	}
	if _, err := r.reserve(t.Context(), "a", func() (int, error) { return 0, context.DeadlineExceeded }); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("the error of left: %v", err)
	}
	if len(r.byID) != 0 {
		t.Errorf("%d entries are kept", len(r.byID))
	}
}

func TestNoMoreIsReservedThanIsLeft(t *testing.T) {
	t.Parallel()

	var r reservations
	reserve := func(ctx context.Context) func() {
		release, _ := r.reserve(ctx, "a", func() (int, error) { return 2, nil })
		return release
	}
	first := reserve(t.Context())
	for range 10 {
		second := reserve(t.Context())
		soon, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		if third := reserve(soon); third != nil {
			t.Fatal("three of two are reserved")
		}
		cancel()
		second()
	}
	first()
	if len(r.byID) != 0 {
		t.Errorf("%d entries are kept", len(r.byID))
	}
}

// Only what decides about a window is done by one request at a time.
func TestReservationsOfOneWindowAreHeldTogether(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var r reservations
	for range 2 {
		release, err := r.reserve(ctx, "a", func() (int, error) { return 2, nil })
		if err != nil {
			t.Fatal(err)
		}
		defer release()
	}
	over, end := context.WithCancel(t.Context())
	_, err := r.reserve(ctx, "a", func() (int, error) {
		end()
		if _, err := r.reserve(over, "a", func() (int, error) { return 9, nil }); !errors.Is(err, errAllReserved) {
			t.Errorf("while another one decides: %v", err)
		}
		return 0, nil
	})
	if !errors.Is(err, errNoneLeft) {
		t.Error(err)
	}
}
