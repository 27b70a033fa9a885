package upstream

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func TestEqualAddressesTakeTurns(t *testing.T) {
	t.Parallel()

	all := replicas(t, 3, nil)
	transport, _ := transportTo(t, all)
	for range 30 {
		if err := send(t, transport, http.MethodGet, ""); err != nil {
			t.Fatal(err)
		}
	}
	for i, r := range all {
		if n := r.seen.Load(); n != 10 {
			t.Errorf("address %d got %d of 30 requests", i, n)
		}
	}
}

func TestLeastConnectionsCountsUntilTheBodyIsRead(t *testing.T) {
	t.Parallel()

	all := replicas(t, 2, nil)
	transport, _ := transportTo(t, all)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	request.RequestURI = ""
	open, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	busy := 0
	if all[1].seen.Load() == 1 {
		busy = 1
	}
	for range 10 {
		if err := send(t, transport, http.MethodGet, ""); err != nil {
			t.Fatal(err)
		}
	}
	if n := all[busy].seen.Load(); n != 1 {
		t.Errorf("the busy address got %d more", n-1)
	}
	_ = open.Body.Close()
	_ = open.Body.Close() // closing twice changes nothing
	for _, a := range *transport.service.addresses.Load() {
		if n := a.inFlight.Load(); n != 0 {
			t.Errorf("%s: %d in flight when all is read", a.hostPort, n)
		}
	}
}

// When all addresses are slow, the cause may be this machine; refusing would turn it into an outage.
func TestSlowAddressesAreUsedWhenThereIsNoOther(t *testing.T) {
	t.Parallel()

	all := replicas(t, 2, nil)
	transport, _ := transportTo(t, all)
	for _, a := range *transport.service.addresses.Load() {
		a.setState(suspect)
	}
	if err := send(t, transport, http.MethodGet, ""); err != nil {
		t.Error(err)
	}
}

func TestNoUsableAddressIsAnImmediate503(t *testing.T) {
	t.Parallel()

	all := replicas(t, 2, nil)
	transport, _ := transportTo(t, all)
	for _, a := range *transport.service.addresses.Load() {
		a.setState(unhealthy)
	}
	err := send(t, transport, http.MethodGet, "")
	if failure, ok := errors.AsType[caddyhttp.HandlerError](err); !ok || failure.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%v", err)
	}
	if all[0].seen.Load()+all[1].seen.Load() > 0 {
		t.Error("it was sent all the same")
	}
}

func BenchmarkChoose(b *testing.B) {
	s, err := newService("service:80", nil)
	if err != nil {
		b.Fatal(err)
	}
	s.setAddresses([]netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2"), netip.MustParseAddr("192.0.2.3")})
	b.ReportAllocs()
	for b.Loop() {
		if s.pick(nil) == nil {
			b.Fatal("none")
		}
	}
}
