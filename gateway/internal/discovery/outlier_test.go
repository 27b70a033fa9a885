package discovery

import (
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Least connections must not prefer a replica that fails fast, whether or not its health checks pass.
func TestFailingReplicaGetsFewRequests(t *testing.T) {
	t.Parallel()

	for _, status := range []int{http.StatusInternalServerError, http.StatusServiceUnavailable} {
		all := replicas(t, 2)
		all[0].answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
		all[1].answer = func(http.ResponseWriter, *http.Request) { <-time.After(time.Millisecond) }
		s, _ := serviceOf(t, all)
		var clients sync.WaitGroup
		for range 8 {
			clients.Go(func() {
				for range 50 {
					if err := send(t, s); err != nil {
						t.Error(err)
					}
				}
			})
		}
		clients.Wait()
		// The requests in flight at the fifth failure; on a slow machine one return and failure.
		if failed := all[0].seen.Load(); failed > 20 || all[1].seen.Load() < 380 {
			t.Errorf("%d: %d of 400 requests failed", status, failed)
		}
	}
}

// newHealthyService returns a service with n healthy addresses.
func newHealthyService(t *testing.T, n int) (*Service, []*Address) {
	t.Helper()
	s := newService(t, Config{Name: "service:80"})
	var found []netip.Addr
	for i := range n {
		found = append(found, netip.AddrFrom4([4]byte{192, 0, 2, byte(i + 1)}))
	}
	s.setAddresses(found)
	all := *s.addresses.Load()
	for _, a := range all {
		a.setState(Healthy)
	}
	return s, all
}

func TestAtMostHalfOfTheAddressesAreEjected(t *testing.T) {
	t.Parallel()

	for n, most := range map[int]int{1: 0, 2: 1, 3: 1, 4: 2, 5: 2} {
		_, all := newHealthyService(t, n)
		for range 3 * 5 {
			for _, a := range all {
				a.Record(true)
			}
		}
		out := 0
		for _, a := range all {
			if a.outlier.isEjected(time.Now()) {
				out++
			}
		}
		if out != most {
			t.Errorf("%d of %d are ejected, want %d", out, n, most)
		}
	}
	// Unhealthy addresses count towards the half.
	_, all := newHealthyService(t, 3)
	all[0].setState(Unhealthy)
	for range 2 * 5 {
		all[1].Record(true)
	}
	if all[1].outlier.isEjected(time.Now()) {
		t.Error("two of three are out")
	}
}

func TestSuccessResetsTheFailureCount(t *testing.T) {
	t.Parallel()

	_, all := newHealthyService(t, 2)
	for range 10 {
		for range 5 - 1 {
			all[0].Record(true)
		}
		all[0].Record(false)
	}
	if all[0].outlier.isEjected(time.Now()) {
		t.Error("it is ejected without five failures in a row")
	}
}

func TestEjectionsDoubleAndReturnWithSlowStart(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		s, all := newHealthyService(t, 2)
		bad := all[0]
		for range 5 {
			bad.Record(true)
		}
		for _, want := range []time.Duration{2, 4, 8, 16, 32, 60, 60} {
			begin := time.Now()
			for bad.outlier.isEjected(time.Now()) {
				if s.Pick(nil) == bad {
					t.Fatal("an ejected address is chosen")
				}
				time.Sleep(100 * time.Millisecond)
			}
			if took := time.Since(begin); took < want*time.Second-100*time.Millisecond ||
				took > want*time.Second+100*time.Millisecond {
				t.Errorf("ejected for %v, want %v s", took, int(want))
			}
			bad.Record(true) // a single failure after its return
			if !bad.outlier.isEjected(time.Now()) {
				t.Fatal("it is back although it still fails")
			}
		}

		time.Sleep(maxEjection)
		share := func() (n int) {
			for range 1000 {
				if s.Pick(nil) == bad {
					n++
				}
			}
			return n
		}
		if n := share(); n < 10 || n > 150 { // half of a tenth
			t.Errorf("%d of 1000 requests at its return", n)
		}
		bad.Record(false)
		time.Sleep(slowStart)
		if n := share(); n < 450 || n > 550 {
			t.Errorf("%d of 1000 requests after its slow start", n)
		}
	})
}

// Also before the ejection, and where there is none.
func TestFailureCountsAsInFlightForASecond(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		s, all := newHealthyService(t, 2)
		all[0].Record(true)
		for range 10 {
			if s.Pick(nil) == all[0] {
				t.Error("the address that just failed looks like the least busy one")
			}
		}
		time.Sleep(penalty)
		synctest.Wait()
		if n := all[0].inFlight.Load(); n != 0 {
			t.Errorf("%d in flight", n)
		}
	})
}

func TestEjectionsBeginAgainAfterAMinuteWithoutOne(t *testing.T) {
	t.Parallel()

	now, o := time.Now(), new(outlier)
	for i, tt := range []struct{ pause, want time.Duration }{
		{0, minEjection},
		{0, 2 * minEjection},
		{maxEjection, 4 * minEjection},
		{maxEjection + 1, minEjection},
		{0, 2 * minEjection},
	} {
		now = now.Add(tt.pause)
		got := o.eject(now, 5)
		if got != tt.want {
			t.Errorf("ejection %d lasts %v, want %v", i+1, got, tt.want)
		}
		now = now.Add(got)
	}
}
