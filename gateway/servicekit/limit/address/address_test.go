package address_test

import (
	"net/netip"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/limit/address"
)

func TestAddressesAreGroupedByIPv4AddressAndIPv6Network(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"192.0.2.1":             {"192.0.2.1/32", "192.0.2.1/32"},
		"::ffff:198.51.100.254": {"198.51.100.254/32", "198.51.100.254/32"},
		"2001:db8:1:2:3:4:5:6":  {"2001:db8:1:2::/64", "2001:db8:1::/48"},
		"2001:db8:1:3::9":       {"2001:db8:1:3::/64", "2001:db8:1::/48"},
		"fe80::1%eth0":          {"fe80::/64", "fe80::/48"},
	} {
		addr := netip.MustParseAddr(text)
		if got := [2]string{address.Network(addr).String(), address.Site(addr).String()}; got != want {
			t.Errorf("%s is of %s, want %s", text, got, want)
		}
	}
	if address.Network(netip.Addr{}).IsValid() || address.Site(netip.Addr{}).IsValid() {
		t.Error("an unknown address has a network")
	}
}
