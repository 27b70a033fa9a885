// Package inuse bounds what clients have in use at one time, such as connections: in total, and for each client, so
// that one client cannot use it all.
package inuse

import (
	"net/netip"
	"sync"
)

// Client is the network that one client has.
type Client = netip.Prefix

// ClientAt returns the client with an address: the address, or the /64 of an IPv6 address, the smallest network that a
// provider assigns to a customer.
func ClientAt(addr netip.Addr) Client {
	addr = addr.Unmap().WithZone("")
	client, _ := addr.Prefix(min(addr.BitLen(), 64)) // the zero Client for the zero address
	return client
}

// Counter counts what is in use. It is safe for concurrent use.
type Counter struct {
	mu    sync.Mutex
	total int
	by    map[Client]int
}

// Enter counts one more of a client, unless there are most in total, or mostOfOne of this client. It reports whether it
// did.
func (c *Counter) Enter(client Client, most, mostOfOne int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.total >= most || c.by[client] >= mostOfOne {
		return false
	}
	if c.by == nil {
		c.by = make(map[Client]int)
	}
	c.total++
	c.by[client]++
	return true
}

// Leave is the inverse of Enter.
func (c *Counter) Leave(client Client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total--
	if c.by[client]--; c.by[client] == 0 {
		delete(c.by, client)
	}
}
