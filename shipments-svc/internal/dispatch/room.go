package dispatch

import (
	"sync"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
	"github.com/quayside/quayside/shipments-svc/internal/webhooks"
)

// How many deliveries a Dispatcher makes at a time.
const (
	maxAll      = 512
	maxOrg      = 32 // of one organization
	maxEndpoint = 4  // of one endpoint, and 1 until it accepts one
)

// room says for whom there is room, so that nobody takes that of others. It is
// safe for concurrent use.
type room struct {
	mu        sync.Mutex
	all       int
	orgs      map[shipments.OrgID]int
	endpoints map[webhooks.Place]int
	well      map[webhooks.Place]bool // whose last attempt was accepted
	refused   bool                    // somebody, for what others had taken
}

func newRoom() *room {
	return &room{orgs: map[shipments.OrgID]int{}, endpoints: map[webhooks.Place]int{}, well: map[webhooks.Place]bool{}}
}

// take takes room for a delivery to an endpoint, if there is any.
func (r *room) take(p webhooks.Place) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.endpoints[p] >= r.limit(p) {
		return false
	}
	if r.all >= maxAll || r.orgs[p.Org] >= maxOrg {
		r.refused = true
		return false
	}
	r.all++
	r.orgs[p.Org]++
	r.endpoints[p]++
	return true
}

// leave gives back what take took. wanted says that somebody was refused since
// the last time.
func (r *room) leave(p webhooks.Place) (wanted bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all--
	if r.orgs[p.Org]--; r.orgs[p.Org] == 0 {
		delete(r.orgs, p.Org)
	}
	if r.endpoints[p]--; r.endpoints[p] == 0 {
		delete(r.endpoints, p)
	}
	wanted, r.refused = r.refused, false
	return wanted
}

// stay reports whether who has taken room for an endpoint may keep it for one
// more delivery.
func (r *room) stay(p webhooks.Place) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.endpoints[p] <= r.limit(p)
}

func (r *room) limit(p webhooks.Place) int {
	if r.well[p] {
		return maxEndpoint
	}
	return 1
}

// maxWell bounds how many endpoints are remembered as well. Others have less
// room.
const maxWell = 10_000

// note remembers how the last attempt for an endpoint ended.
func (r *room) note(p webhooks.Place, accepted bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !accepted {
		delete(r.well, p)
		return
	}
	if len(r.well) >= maxWell && !r.well[p] {
		for other := range r.well { // whichever comes first
			delete(r.well, other)
			break
		}
	}
	r.well[p] = true
}
