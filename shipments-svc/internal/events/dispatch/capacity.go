package dispatch

import (
	"sync"

	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
)

// Limits of concurrent deliveries. Those of an organization are limited by the number of
// endpoints that it may have.
const (
	maxAll      = 512
	maxEndpoint = 4
)

// capacity limits the deliveries in flight, in all and by endpoint. It is safe for
// concurrent use.
type capacity struct {
	mu        sync.Mutex
	all       int
	endpoints map[webhooks.EndpointKey]int
}

func newCapacity() *capacity {
	return &capacity{endpoints: map[webhooks.EndpointKey]int{}}
}

// acquire reserves capacity for a delivery, if there is any.
func (c *capacity) acquire(p webhooks.EndpointKey) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all >= maxAll || c.endpoints[p] >= maxEndpoint {
		return false
	}
	c.all++
	c.endpoints[p]++
	return true
}

// release releases capacity.
func (c *capacity) release(p webhooks.EndpointKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all--
	if c.endpoints[p]--; c.endpoints[p] == 0 {
		delete(c.endpoints, p)
	}
}
