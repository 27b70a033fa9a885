package ratelimit

import "net/netip"

// AddressIDs returns the ids under which the requests of addr are counted in the windows of that name. For an IPv4
// address id is the address. For IPv6, id is the /64, the least that one customer of a provider is given, and network
// the /48, which many are given. network is empty for IPv4 and for an address that is not known.
func AddressIDs(window string, addr netip.Addr) (id, network string) {
	addr = addr.Unmap().WithZone("")
	switch {
	case addr.Is4():
		return window + ":" + addr.String(), ""
	case addr.Is6():
		return window + ":" + netip.PrefixFrom(addr, 64).Masked().String(), window + ":" + netip.PrefixFrom(addr, 48).Masked().String()
	default:
		return window + ":unknown", ""
	}
}
