package upstream

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// Only 2xx is healthy. A single timeout changes nothing.
func TestHealthChecks(t *testing.T) {
	t.Parallel()

	all := replicas(t, 2, nil)
	transport, _ := transportTo(t, all)
	hung := make(chan struct{})
	defer close(hung)
	for name, tt := range map[string]struct {
		check func(http.ResponseWriter)
		times int
		want  state
	}{
		"not ready":          {func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) }, 1, suspect},
		"redirects":          {func(w http.ResponseWriter) { w.WriteHeader(http.StatusFound) }, 1, suspect},
		"299":                {func(w http.ResponseWriter) { w.WriteHeader(299) }, 1, healthy},
		"300":                {func(w http.ResponseWriter) { w.WriteHeader(http.StatusMultipleChoices) }, 1, suspect},
		"forbids":            {func(w http.ResponseWriter) { w.WriteHeader(http.StatusForbidden) }, 1, suspect},
		"breaks":             {func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, 1, unhealthy},
		"is late once":       {func(http.ResponseWriter) { <-hung }, 1, healthy},
		"does not answer":    {func(http.ResponseWriter) { <-hung }, 2, suspect},
		"is ready":           {func(http.ResponseWriter) {}, 1, healthy},
		"has nothing to say": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) }, 1, healthy},
	} {
		a := (*transport.service.addresses.Load())[0]
		a.setState(healthy)
		a.timeouts.Store(0)
		all[0].checked.Store(tt.check)
		for range tt.times {
			transport.service.checkAll(t.Context())
		}
		if states := statesOf(transport.service); states[0] != tt.want || states[1] != healthy {
			t.Errorf("%s: %v, want %v", name, states, tt.want)
		}
		before := all[0].seen.Load()
		for range 10 {
			if err := send(t, transport, http.MethodGet, ""); err != nil {
				t.Fatal(err)
			}
		}
		if used := all[0].seen.Load() > before; used != (tt.want == healthy) {
			t.Errorf("%s: used %v", name, used)
		}
	}
}

func TestFailedCheckTriggersNoOther(t *testing.T) {
	t.Parallel()

	all := replicas(t, 1, nil)
	transport, _ := transportTo(t, all)
	<-transport.service.trigger // sent by the lookup
	all[0].Close()
	transport.service.checkAll(t.Context())
	if is := statesOf(transport.service)[0]; is != unhealthy {
		t.Errorf("the address is %v", is)
	}
	select {
	case <-transport.service.trigger:
		t.Error("checks follow each other without a pause while an address is away")
	default:
	}
}

func TestLastAddressesAreKeptWhileTheLookupFails(t *testing.T) {
	t.Parallel()

	all := replicas(t, 3, nil)
	transport, dns := transportTo(t, all[:1])
	s := transport.service
	core, logs := observer.New(zapcore.InfoLevel)
	s.logger = zap.New(core)
	failing := false
	for _, trouble := range []error{errors.New("server misbehaving"), nil} { // nil: no addresses
		dns.set(trouble)
		if failing = s.lookUp(t.Context(), failing); !failing || len(statesOf(s)) != 1 || statesOf(s)[0] != healthy {
			t.Errorf("with %v: %v", trouble, statesOf(s))
		}
	}
	// Scaled up: a new address is used after its health check; known ones keep their state.
	dns.set(nil, all[2].ip, all[0].ip, all[1].ip, all[1].ip)
	if failing = s.lookUp(t.Context(), failing); failing || len(statesOf(s)) != 3 {
		t.Fatalf("%v", statesOf(s))
	}
	if lines := logs.All(); len(lines) != 2 || lines[0].Level != zapcore.ErrorLevel || lines[1].Message != "lookup of the service works again" {
		t.Errorf("logged %v", lines)
	}
	if got := statesOf(s); got[0] != unknown || got[1] != healthy || got[2] != unknown {
		t.Errorf("before a check: %v", got)
	}
	select {
	case <-s.trigger:
	default:
		t.Error("new addresses wait for their check")
	}
	s.checkAll(t.Context())
	if got := statesOf(s); got[0] != healthy || got[1] != healthy || got[2] != healthy {
		t.Errorf("after a check: %v", got)
	}
	// Scaled down.
	dns.set(nil, all[1].ip)
	s.lookUp(t.Context(), failing)
	for range 4 {
		if err := send(t, transport, http.MethodGet, ""); err != nil {
			t.Fatal(err)
		}
	}
	if all[0].seen.Load()+all[2].seen.Load() > 0 || all[1].seen.Load() != 4 {
		t.Error("an address is used that the name does not have any more")
	}
}

func TestChecksInARowMakeAnAddressHealthyAgain(t *testing.T) {
	t.Parallel()

	s, err := newService("service:80", nil)
	if err != nil {
		t.Fatal(err)
	}
	core, logs := observer.New(zapcore.InfoLevel)
	s.logger = zap.New(core)
	a := new(address)
	a.setState(unknown)
	failed := errors.New("connection refused")
	for i, tt := range []struct {
		err  error
		want state
		log  string
	}{
		{nil, healthy, "address is healthy"},
		{failed, unhealthy, "address is unhealthy"},
		{nil, recovering, ""},
		{nil, recovering, ""},
		{failed, unhealthy, ""}, // the count begins again
		{nil, recovering, ""},
		{nil, recovering, ""},
		{nil, healthy, "address is healthy"},
		{nil, healthy, ""},
	} {
		if tt.err != nil {
			s.recordCheck(a, unhealthy, tt.err)
		} else {
			s.recordCheck(a, a.afterPass(), nil)
		}
		if is := a.currentState(); is != tt.want {
			t.Errorf("check %d: %v, want %v", i, is, tt.want)
		}
		lines := logs.TakeAll()
		if len(lines) > 1 || (len(lines) == 1) != (tt.log != "") || len(lines) == 1 && lines[0].Message != tt.log {
			t.Errorf("check %d: logged %v, want %q", i, lines, tt.log)
		}
	}
	s.recordCheck(a, suspect, failed)
	if lines := logs.TakeAll(); len(lines) != 1 || lines[0].Message != "address is suspect" {
		t.Errorf("logged %v", lines)
	}
}

func TestTimeoutsInARowMakeAnAddressSuspect(t *testing.T) {
	t.Parallel()

	for before, want := range map[state][3]state{healthy: {healthy, suspect, suspect}, unknown: {suspect, suspect, suspect}, recovering: {recovering, suspect, suspect}} {
		a := new(address)
		for i, state := range want {
			a.setState(before)
			if got := a.afterTimeout(); got != state {
				t.Errorf("%v, timeout %d: %v, want %v", before, i+1, got, state)
			}
		}
		a.setState(healthy)
		if a.afterPass(); a.afterTimeout() != healthy {
			t.Errorf("%v: a passed check does not end the row", before)
		}
	}
}

func TestServiceIsWatchedWhileInUse(t *testing.T) {
	t.Parallel()

	all := replicas(t, 1, nil)
	name := all[0].Listener.Addr().String()
	first, releaseFirst, err := acquire(name)
	if err != nil {
		t.Fatal(err)
	}
	second, releaseSecond, err := acquire(name)
	if err != nil || first != second {
		t.Fatalf("%p and %p, %v", first, second, err)
	}
	deadline := time.After(10 * time.Second)
	for statesOf(first)[0] != healthy {
		select {
		case <-deadline:
			t.Fatal("it is never checked")
		case <-time.After(time.Millisecond):
		}
	}
	if err := errors.Join(releaseFirst(), releaseSecond()); err != nil {
		t.Error(err)
	}
	if third, release, err := acquire(name); err != nil || third == first {
		t.Errorf("without a watcher: %v", err)
	} else if err := release(); err != nil {
		t.Error(err)
	}
	if _, _, err := acquire("no port"); err == nil {
		t.Error("a name without a port is watched")
	}
}
