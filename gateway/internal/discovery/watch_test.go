package discovery

import (
	"errors"
	"net/http"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// Only 2xx is healthy. A single timeout changes nothing.
func TestHealthChecks(t *testing.T) {
	t.Parallel()

	all := replicas(t, 2)
	s, _ := serviceOf(t, all)
	hung := make(chan struct{})
	defer close(hung)
	for name, tt := range map[string]struct {
		check func(http.ResponseWriter)
		want  State
	}{
		"not ready":          {func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) }, Suspect},
		"redirects":          {func(w http.ResponseWriter) { w.WriteHeader(http.StatusFound) }, Suspect},
		"299":                {func(w http.ResponseWriter) { w.WriteHeader(299) }, Healthy},
		"300":                {func(w http.ResponseWriter) { w.WriteHeader(http.StatusMultipleChoices) }, Suspect},
		"forbids":            {func(w http.ResponseWriter) { w.WriteHeader(http.StatusForbidden) }, Suspect},
		"breaks":             {func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, Unhealthy},
		"does not answer":    {func(http.ResponseWriter) { <-hung }, Suspect},
		"is ready":           {func(http.ResponseWriter) {}, Healthy},
		"has nothing to say": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) }, Healthy},
	} {
		a := (*s.addresses.Load())[0]
		a.setState(Healthy)
		all[0].checked.Store(tt.check)
		s.checkAll(t.Context())
		if states := statesOf(s); states[0] != tt.want || states[1] != Healthy {
			t.Errorf("%s: %v, want %v", name, states, tt.want)
		}
		before := all[0].seen.Load()
		for range 10 {
			if err := send(t, s); err != nil {
				t.Fatal(err)
			}
		}
		if used := all[0].seen.Load() > before; used != (tt.want == Healthy) {
			t.Errorf("%s: used %v", name, used)
		}
	}
}

func TestFailedCheckTriggersNoOther(t *testing.T) {
	t.Parallel()

	all := replicas(t, 1)
	s, _ := serviceOf(t, all)
	<-s.trigger // sent by the lookup
	s.checkAll(t.Context())
	up := s.Availability()
	all[0].Close()
	for range 2 {
		s.checkAll(t.Context())
	}
	down := s.Availability()
	if !up.Available || down.Available || up.Since.IsZero() || !down.Since.After(up.Since) {
		t.Errorf("%+v became %+v", up, down)
	}
	s.checkAll(t.Context())
	if again := s.Availability(); again != down {
		t.Errorf("%+v became %+v", down, again)
	}
	if is := statesOf(s)[0]; is != Unhealthy {
		t.Errorf("the address is %v", is)
	}
	select {
	case <-s.trigger:
		t.Error("checks follow each other without a pause while an address is away")
	default:
	}
}

func TestLastAddressesAreKeptWhileTheLookupFails(t *testing.T) {
	t.Parallel()

	all := replicas(t, 3)
	s, dns := serviceOf(t, all[:1])
	core, logs := observer.New(zapcore.InfoLevel)
	s.logger = func() *zap.Logger { return zap.New(core) }
	failing := false
	for _, trouble := range []error{errors.New("server misbehaving"), nil} { // nil: no addresses
		dns.set(trouble)
		if failing = s.lookUp(t.Context(), failing); !failing || len(statesOf(s)) != 1 || statesOf(s)[0] != Healthy {
			t.Errorf("with %v: %v", trouble, statesOf(s))
		}
	}
	// Scaled up: a new address is used after its health check; known ones keep their state.
	dns.set(nil, all[2].ip, all[0].ip, all[1].ip, all[1].ip)
	if failing = s.lookUp(t.Context(), failing); failing || len(statesOf(s)) != 3 {
		t.Fatalf("%v", statesOf(s))
	}
	if lines := logs.All(); len(lines) != 2 || lines[0].Level != zapcore.ErrorLevel ||
		lines[1].Message != "lookup of the service works again" {
		t.Errorf("logged %v", lines)
	}
	if got := statesOf(s); got[0] != Unknown || got[1] != Healthy || got[2] != Unknown {
		t.Errorf("before a check: %v", got)
	}
	select {
	case <-s.trigger:
	default:
		t.Error("new addresses wait for their check")
	}
	s.checkAll(t.Context())
	if got := statesOf(s); got[0] != Healthy || got[1] != Healthy || got[2] != Healthy {
		t.Errorf("after a check: %v", got)
	}
	// Scaled down.
	dns.set(nil, all[1].ip)
	s.lookUp(t.Context(), failing)
	for range 4 {
		if err := send(t, s); err != nil {
			t.Fatal(err)
		}
	}
	if all[0].seen.Load()+all[2].seen.Load() > 0 || all[1].seen.Load() != 4 {
		t.Error("an address is used that the name does not have any more")
	}
}

func TestChangesOfAnAddressAreLogged(t *testing.T) {
	t.Parallel()

	core, logs := observer.New(zapcore.InfoLevel)
	s := newService(t, Config{Name: "service:80", Logger: func() *zap.Logger { return zap.New(core) }})
	a := new(Address)
	a.setState(Unknown)
	for i, tt := range []struct {
		now State
		log string
	}{
		{Healthy, "address is healthy"},
		{Healthy, ""},
		{Unhealthy, "address is unhealthy"},
		{Suspect, ""},
		{Healthy, "address is healthy"},
		{Suspect, "address is suspect"},
	} {
		s.recordCheck(a, tt.now, errors.New("connection refused"))
		lines := logs.TakeAll()
		if len(lines) > 1 || (len(lines) == 1) != (tt.log != "") || len(lines) == 1 && lines[0].Message != tt.log {
			t.Errorf("check %d: logged %v, want %q", i, lines, tt.log)
		}
	}
}
