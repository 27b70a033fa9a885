package shipments

import (
	"context"
	"sync"
	"time"
)

// Bounds of waiting. Beyond them a GetQuery is answered at once.
const (
	maxWaits    = 500 // of a Service
	maxOrgWaits = 50  // of one organization
)

const (
	// pollEvery is the interval between polls of a shipment.
	pollEvery   = 500 * time.Millisecond
	pollTimeout = 2 * time.Second
)

// watch polls the shipments that requests wait for: each once for all its waiters,
// with one query at a time, and only while there are waiters. Its zero value is
// ready; it is safe for concurrent use.
type watch struct {
	mu      sync.Mutex
	waiting map[*waiter]struct{}
	orgs    map[OrgID]int
	idle    chan struct{} // closed when the last waiter leaves; nil: no poller runs
}

// waiter waits for a version of a shipment that is not known.
type waiter struct {
	org   OrgID
	id    ID
	known func(version int64) bool
	done  chan error // gets one value, when there is such a version or polling failed
}

type lookUp func(context.Context, OrgID, ID) (Head, error)

// add has the waiter's shipment polled until remove, unless too many wait.
func (w *watch) add(one *waiter, look lookUp) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waiting) >= maxWaits || w.orgs[one.org] >= maxOrgWaits {
		return false
	}
	if w.waiting == nil {
		w.waiting, w.orgs = map[*waiter]struct{}{}, map[OrgID]int{}
	}
	w.waiting[one] = struct{}{}
	w.orgs[one.org]++
	if w.idle == nil {
		w.idle = make(chan struct{})
		go w.poll(w.idle, look)
	}
	return true
}

func (w *watch) remove(one *waiter) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.waiting, one)
	if w.orgs[one.org]--; w.orgs[one.org] == 0 {
		delete(w.orgs, one.org)
	}
	if len(w.waiting) == 0 {
		close(w.idle)
		w.idle = nil
	}
}

// watched is a shipment that is waited for.
type watched struct {
	org OrgID
	id  ID
}

// poll looks at the shipments that are waited for until idle is closed.
func (w *watch) poll(idle <-chan struct{}, look lookUp) {
	again := time.NewTicker(pollEvery)
	defer again.Stop()
	for {
		select {
		case <-idle:
			return
		case <-again.C:
		}
		for of, waiters := range w.grouped() {
			ctx, cancel := context.WithTimeout(context.Background(), pollTimeout)
			head, err := look(ctx, of.org, of.id)
			cancel()
			for _, one := range waiters {
				if err == nil && one.known(head.Version) {
					continue
				}
				select {
				case one.done <- err:
				default: // it has a value
				}
			}
		}
	}
}

// grouped returns the waiters by shipment.
func (w *watch) grouped() map[watched][]*waiter {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := map[watched][]*waiter{}
	for one := range w.waiting {
		of := watched{one.org, one.id}
		all[of] = append(all[of], one)
	}
	return all
}
