package dispatch

import (
	"sync"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// How many deliveries a Dispatcher makes at a time.
const (
	maxAll      = 512
	maxOrg      = 128 // of one organization
	maxEndpoint = 32  // of one endpoint that accepts quickly
	maxSlow     = 4   // of one that accepts, but takes longer than slow
)

// slow is from when on an answer is slow.
const slow = time.Second

// room bounds the deliveries in flight, so that no endpoint and no organization
// takes the capacity of others. An endpoint begins with one at a time; each
// delivery that it accepts quickly doubles that, and one that fails begins anew.
// It is safe for concurrent use.
type room struct {
	mu        sync.Mutex
	all       int
	orgs      map[shipments.OrgID]int
	endpoints map[webhooks.Place]int
	limits    map[webhooks.Place]int // of those that accept; others have 1
	refused   bool                   // somebody, for what others had taken
}

func newRoom() *room {
	return &room{orgs: map[shipments.OrgID]int{}, endpoints: map[webhooks.Place]int{}, limits: map[webhooks.Place]int{}}
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

func (r *room) limit(p webhooks.Place) int { return max(1, r.limits[p]) }

// maxLimits bounds how many endpoints are remembered. Others have less room.
const maxLimits = 10_000

// note remembers how the last attempt for an endpoint ended, and how long it
// took.
func (r *room) note(p webhooks.Place, accepted bool, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !accepted {
		delete(r.limits, p)
		return
	}
	limit := min(2*r.limit(p), maxEndpoint)
	if took > slow {
		limit = min(r.limit(p)+1, maxSlow)
	}
	if _, known := r.limits[p]; len(r.limits) >= maxLimits && !known {
		for other := range r.limits { // whichever comes first
			delete(r.limits, other)
			break
		}
	}
	r.limits[p] = limit
}
