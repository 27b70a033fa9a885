package ratelimit

import "net/netip"

// AddressIDs returns the ids under which requests from addr are counted in the named windows. For IPv4, id is the
// address. For IPv6, id is the /64, the smallest network that a provider assigns to a customer, and network the /48,
// which many customers have. network is empty for IPv4 and for an invalid address.
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
