package dispatch_test

import (
	"net/http"
	"testing"
	"time"
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
