package dispatch_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestHangingReceiversDoNotDelayOthers of the same organization, with long queues.
func TestHangingReceiversDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	release := make(chan struct{})
	var hanging []*inbox
	for range 10 {
		in := newInbox(t, func(int, http.ResponseWriter) { <-release })
		hanging = append(hanging, in)
		w.endpoint(t, in.URL)
	}
	t.Cleanup(func() { close(release) }) // before the receivers are closed, which wait for it
	well := newInbox(t, nil)
	w.happen(t, 20) // for those that hang only
	stop := w.dispatch(t, w.queue, 2*time.Second)
	eventually(t, "the first attempts", func() bool {
		n := 0
		for _, in := range hanging {
			n += in.count()
		}
		return n >= len(hanging)
	})
	w.endpoint(t, well.URL)
	w.happen(t, 20)
	eventually(t, "what is for the one that is well", func() bool { return len(well.ids()) == 20 })
	stop()
}

// TestHangingReceiversDoNotDelayOtherOrganizations: of seven of them, all endpoints hang with all attempts that they
// may have.
func TestHangingReceiversDoNotDelayOtherOrganizations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const organizations, each = 7, 4
	release := make(chan struct{})
	hanging := newInbox(t, func(int, http.ResponseWriter) { <-release })
	t.Cleanup(func() { close(release) }) // before the receiver is closed, which waits for it
	for range organizations {
		w.org = shipments.OrgID(uuid.New())
		for range webhooks.MaxEndpoints {
			w.endpoint(t, hanging.URL)
		}
		w.happen(t, each)
	}
	stop := w.dispatch(t, w.queue, time.Minute)
	eventually(t, "that all hang", func() bool { return hanging.count() == organizations*webhooks.MaxEndpoints*each })
	w.org = shipments.OrgID(uuid.New())
	well := newInbox(t, nil)
	w.endpoint(t, well.URL)
	w.happen(t, 20)
	eventually(t, "what is for the one that is well", func() bool { return len(well.ids()) == 20 })
	stop()
}
