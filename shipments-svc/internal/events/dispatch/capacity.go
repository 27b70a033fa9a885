package dispatch

import (
	"sync"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Limits of concurrent deliveries.
const (
	maxAll      = 512
	maxOrg      = 128 // of one organization
	maxEndpoint = 32  // of a fast endpoint
	maxSlow     = 4   // of a slow endpoint
)

// slow is the duration of a slow response.
const slow = time.Second

// capacity limits the deliveries in flight by endpoint and organization. The limit of
// an endpoint starts at one, doubles with each fast response, and is reset by a
// failure. It is safe for concurrent use.
type capacity struct {
	mu        sync.Mutex
	all       int
	orgs      map[shipments.OrgID]int
	endpoints map[webhooks.EndpointKey]int
	limits    map[webhooks.EndpointKey]int // of accepting endpoints; others have 1
	refused   bool                         // an endpoint, for lack of capacity
}

func newCapacity() *capacity {
	return &capacity{
		orgs:      map[shipments.OrgID]int{},
		endpoints: map[webhooks.EndpointKey]int{},
		limits:    map[webhooks.EndpointKey]int{},
	}
}

// acquire reserves capacity for a delivery, if there is any.
func (c *capacity) acquire(p webhooks.EndpointKey) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.endpoints[p] >= c.limit(p) {
		return false
	}
	if c.all >= maxAll || c.orgs[p.Org] >= maxOrg {
		c.refused = true
		return false
	}
	c.all++
	c.orgs[p.Org]++
	c.endpoints[p]++
	return true
}

// release releases capacity. wanted reports whether a delivery was refused since the
// last release.
func (c *capacity) release(p webhooks.EndpointKey) (wanted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all--
	if c.orgs[p.Org]--; c.orgs[p.Org] == 0 {
		delete(c.orgs, p.Org)
	}
	if c.endpoints[p]--; c.endpoints[p] == 0 {
		delete(c.endpoints, p)
	}
	wanted, c.refused = c.refused, false
	return wanted
}

// keep reports whether a worker may keep its capacity for another delivery.
func (c *capacity) keep(p webhooks.EndpointKey) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.endpoints[p] <= c.limit(p)
}

func (c *capacity) limit(p webhooks.EndpointKey) int { return max(1, c.limits[p]) }

// maxLimits is the maximum number of cached limits.
const maxLimits = 10_000

// note adapts the limit of an endpoint to the result of an attempt.
func (c *capacity) note(p webhooks.EndpointKey, accepted bool, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !accepted {
		delete(c.limits, p)
		return
	}
	limit := min(2*c.limit(p), maxEndpoint)
	if took > slow {
		limit = min(c.limit(p)+1, maxSlow)
	}
	if _, ok := c.limits[p]; len(c.limits) >= maxLimits && !ok {
		for other := range c.limits { // any
			delete(c.limits, other)
			break
		}
	}
	c.limits[p] = limit
}
