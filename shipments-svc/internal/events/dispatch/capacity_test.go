package dispatch

import (
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
)

func TestCapacityIsLimitedByEndpointAndInAll(t *testing.T) {
	t.Parallel()
	c, n := newCapacity(), 0
	for endpoint := range byte(200) {
		of := 0
		for c.acquire(webhooks.EndpointKey{Endpoint: webhooks.ID{endpoint}}) {
			of++
		}
		if of != min(maxEndpoint, maxAll-n) {
			t.Errorf("endpoint %d has %d", endpoint, of)
		}
		n += of
	}
	for p, held := range c.endpoints {
		for range held {
			c.release(p)
		}
	}
	if c.all != 0 || len(c.endpoints) != 0 {
		t.Errorf("%d, %v are left", c.all, c.endpoints)
	}
}
