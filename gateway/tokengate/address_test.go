package tokengate

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

// A whole /48 has four times the requests of a /64, not 65,536 times.
func TestAddressesOfOneNetworkShareItsWindow(t *testing.T) {
	t.Parallel()

	g, w := newTestGate(t, new(Gate), ""), local(perMinute("page", 10))
	charge := func(addr netip.Addr) ratelimit.State {
		x := &exchange{gate: g.Gate, caller: addr}
		_ = x.chargeAddress(t.Context(), w, nil)
		return x.window
	}
	passed := 0
	for subnet := range 100 {
		for host := range 20 {
			addr := netip.MustParseAddr(fmt.Sprintf("2001:db8:1:%x::%x", subnet, host))
			shown := charge(addr)
			if shown.Allowed {
				passed++
			}
			if host >= 10 && (shown.Allowed || shown.Remaining != 0) {
				t.Fatalf("request %d of one /64: %+v", host+1, shown)
			}
			if subnet >= 4 && shown.Limit != 40 && shown.Remaining > 0 {
				t.Fatalf("the empty window of the /48 is not shown: %+v", shown)
			}
		}
	}
	if passed != 40 {
		t.Errorf("%d requests of a /48 passed", passed)
	}
	for _, addr := range []string{"2001:db8:2::1", "192.0.2.1"} {
		shown := charge(netip.MustParseAddr(addr))
		if !shown.Allowed || shown.Remaining != 9 || shown.Limit != 10 {
			t.Errorf("%s: %+v", addr, shown)
		}
	}
}

func TestAddressesAreCountedByNetwork(t *testing.T) {
	t.Parallel()

	for addr, want := range map[string]string{
		"192.0.2.1": " page:192.0.2.1 10", "invalid": " page:unknown 10",
		"2001:db8:1:2:3:4:5:6": " page:2001:db8:1:2::/64 10 page:2001:db8:1::/48 40",
		"2001:db8:1:ffff::1:2": " page:2001:db8:1:ffff::/64 10 page:2001:db8:1::/48 40",
		"64:ff9b::192.0.2.1":   " page:64:ff9b::/64 10 page:64:ff9b::/48 40",
	} {
		parsed, _ := netip.ParseAddr(addr)
		got := ""
		for _, w := range windowsOf(perMinute("page", 10), parsed) {
			got += fmt.Sprint(" ", w.ID, " ", w.Limit)
		}
		if got != want {
			t.Errorf("%s: %s", addr, got)
		}
	}
}
