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
	for _, addr := range []string{"2001:db8:2::1", "192.0.2.1", "unknown"} {
		parsed, _ := netip.ParseAddr(addr)
		if shown := charge(parsed); !shown.Allowed || shown.Remaining != 9 || shown.Limit != 10 {
			t.Errorf("%s: %+v", addr, shown)
		}
	}
}
