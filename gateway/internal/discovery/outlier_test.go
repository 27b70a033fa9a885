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
			if a.isEjected(time.Now()) {
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
	if all[1].isEjected(time.Now()) {
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
	if all[0].isEjected(time.Now()) {
		t.Error("it is ejected without five failures in a row")
	}
}

func TestAnEjectedAddressReturnsAndIsEjectedByItsNextFailure(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		s, all := newHealthyService(t, 2)
		for range 5 {
			all[0].Record(true)
		}
		for range 3 {
			begin := time.Now()
			for all[0].isEjected(time.Now()) {
				if s.Pick(nil) == all[0] {
					t.Fatal("an ejected address is chosen")
				}
				time.Sleep(time.Second)
			}
			if took := time.Since(begin); took != ejection {
				t.Errorf("ejected for %v", took)
			}
			if all[0].Record(true); !all[0].isEjected(time.Now()) {
				t.Error("it is back although it still fails")
			}
		}
		time.Sleep(ejection)
		all[0].Record(false)
		if first, second := s.Pick(nil), s.Pick(nil); first == second {
			t.Error("it does not return")
		}
	})
}
