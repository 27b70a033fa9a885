package ratelimit

import "net/netip"

// AddressID returns the id under which the requests of addr are counted together in the window of that
// name: an IPv4 address, or the /64 of an IPv6 address, because that is what one customer of a provider is
// given at least.
func AddressID(window string, addr netip.Addr) string {
	addr = addr.Unmap().WithZone("")
	switch {
	case addr.Is4():
		return window + ":" + addr.String()
	case addr.Is6():
		return window + ":" + netip.PrefixFrom(addr, 64).Masked().String()
	default:
		return window + ":unknown"
	}
}
