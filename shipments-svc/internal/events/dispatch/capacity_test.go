package dispatch

import (
	"testing"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func place(org, endpoint byte) webhooks.EndpointKey {
	return webhooks.EndpointKey{Org: shipments.OrgID{org}, Endpoint: webhooks.ID{endpoint}}
}

// well notes fast responses of an endpoint.
func well(r *capacity, p webhooks.EndpointKey) {
	for range maxEndpoint {
		r.note(p, true, 0)
	}
}

// fill acquires all capacity for an endpoint.
func fill(r *capacity, p webhooks.EndpointKey) (n int) {
	for r.acquire(p) {
		n++
	}
	return n
}

func TestCapacityIsIsolated(t *testing.T) {
	t.Parallel()
	r := newCapacity()
	if n := fill(r, place(1, 1)); n != 1 {
		t.Errorf("one that is not known has %d", n)
	}
	well(r, place(1, 1))
	if n := fill(r, place(1, 1)); n != maxEndpoint-1 {
		t.Errorf("one that is well has %d more", n)
	}
	n := maxEndpoint
	for endpoint := range byte(30) {
		well(r, place(1, endpoint+2))
		n += fill(r, place(1, endpoint+2))
	}
	if n != maxOrg {
		t.Errorf("one organization has %d", n)
	}
	if fill(r, place(2, 1)) != 1 {
		t.Error("it took that of another")
	}
	r.note(place(1, 1), false, 0)
	for left := maxEndpoint; left > 1; left-- {
		if r.keep(place(1, 1)) {
			t.Errorf("%d stay with one that fails", left)
		}
		if wanted := r.release(place(1, 1)); wanted != (left == maxEndpoint) {
			t.Errorf("after %d: %t", left, wanted)
		}
	}
	if !r.keep(place(1, 1)) || r.acquire(place(1, 1)) {
		t.Error("one that fails has not one")
	}
}

func TestTotalCapacity(t *testing.T) {
	t.Parallel()
	r := newCapacity()
	n := 0
	for org := range byte(200) {
		well(r, place(org, 1))
		n += fill(r, place(org, 1))
	}
	if n != maxAll {
		t.Errorf("%d, want %d", n, maxAll)
	}
	for org := range byte(200) {
		for r.endpoints[place(org, 1)] > 0 {
			r.release(place(org, 1))
		}
	}
	if r.all != 0 || len(r.orgs) != 0 || len(r.endpoints) != 0 {
		t.Errorf("%d, %v, %v are left", r.all, r.orgs, r.endpoints)
	}
}

// TestLimitsAdapt: they grow with accepted deliveries, are low for slow endpoints, and
// one after a failure.
func TestLimitsAdapt(t *testing.T) {
	t.Parallel()
	r, p := newCapacity(), place(1, 1)
	for i, c := range []struct {
		accepted bool
		took     time.Duration
		want     int
	}{
		{true, 0, 2},
		{true, 0, 4},
		{true, 0, 8},
		{true, 0, 16},
		{true, slow, 32},
		{true, 0, 32},
		{true, slow + 1, 4},
		{true, slow + 1, 4},
		{true, 0, 8},
		{false, 0, 1},
		{true, slow + 1, 2},
		{true, slow + 1, 3},
		{true, slow + 1, 4},
		{true, slow + 1, 4},
	} {
		if r.note(p, c.accepted, c.took); r.limit(p) != c.want {
			t.Errorf("attempt %d: %d at a time, want %d", i, r.limit(p), c.want)
		}
	}
}
