package discovery

import (
	"context"
	"testing"
	"time"
)

func TestEqualAddressesTakeTurns(t *testing.T) {
	t.Parallel()

	s, _ := newHealthyService(t, 3)
	picked := map[*Address]int{}
	for range 30 {
		picked[s.Pick(nil)]++
	}
	for a, n := range picked {
		if n != 10 || len(picked) != 3 {
			t.Errorf("%s is picked for %d of 30 requests", a.HostPort, n)
		}
	}
}

func TestTheAddressWithTheLeastRequestsInFlightIsPicked(t *testing.T) {
	t.Parallel()

	s, _ := newHealthyService(t, 2)
	busy := s.Pick(nil)
	busy.Begin()
	for range 10 {
		if s.Pick(nil) == busy {
			t.Fatal("the busy address is picked")
		}
	}
	busy.End()
	if a, b := s.Pick(nil), s.Pick(nil); a == b {
		t.Error("it is not picked again")
	}
}

// When all addresses are slow, the cause may be this machine; refusing would turn it into an outage.
func TestSuspectAddressesAreUsedAndUnhealthyOnesAreNot(t *testing.T) {
	t.Parallel()

	s, all := newHealthyService(t, 2)
	for _, a := range all {
		a.setState(Suspect)
	}
	first := s.Pick(nil)
	if first == nil || s.Pick(first) == first || s.Pick(first) == nil {
		t.Error("suspect addresses are not used, or the excepted one is")
	}
	for _, a := range all {
		a.setState(Unhealthy)
	}
	if s.Pick(nil) != nil {
		t.Error("an unhealthy address is used")
	}
}

// Nothing happens before Start, and Close ends what it began. The first lookup can be waited for.
func TestServiceIsWatchedBetweenStartAndClose(t *testing.T) {
	t.Parallel()

	all := replicas(t, 1)
	started, dns := serviceOf(t, all)
	s := newService(t, Config{Name: started.Name(), CheckPath: checkPath, Resolve: dns.resolve})
	if n := len(s.Count()); n != 0 {
		t.Errorf("%d addresses before its start", n)
	}
	s.Start()
	s.Start()
	s.Wait(t.Context())
	if s.Pick(nil) == nil {
		t.Error("no address after the first lookup")
	}
	for deadline := time.After(time.Minute); s.Count()[Healthy] != 1; {
		select {
		case <-deadline:
			t.Fatal("it is never checked")
		case <-time.After(time.Millisecond):
		}
	}
	s.Close()
	unused := newService(t, Config{Name: "service:80"})
	unused.Close()
	ended, end := context.WithCancel(t.Context())
	end()
	unused.Wait(ended)
	literal := newService(t, Config{Name: "127.0.0.1:80"})
	literal.Wait(t.Context())
	if a := literal.Pick(nil); a == nil || a.HostPort != "127.0.0.1:80" || a.Service() != literal {
		t.Errorf("%+v", a)
	}
	if _, err := New(Config{Name: "no port"}); err == nil {
		t.Error("a name without a port is accepted")
	}
}
