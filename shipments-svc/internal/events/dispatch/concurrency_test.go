package dispatch_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// TestFastReceiversGetConcurrentDeliveries over reused connections.
func TestFastReceiversGetConcurrentDeliveries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const events, together = 300, 16
	var inFlight, most atomic.Int64
	reached := make(chan struct{})
	in := newInbox(t, func(nth int, _ http.ResponseWriter) {
		if nth <= 100 {
			return // until it is known to accept
		}
		now := inFlight.Add(1)
		defer inFlight.Add(-1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
			continue
		}
		if now >= together {
			select {
			case <-reached:
			default:
				close(reached)
			}
		}
		<-reached
	})
	w.endpoint(t, in.URL)
	w.happen(t, events)
	w.dispatch(t, w.queue, 30*time.Second)
	eventually(t, "all events", func() bool { return len(in.ids()) == events })
	in.mu.Lock()
	defer in.mu.Unlock()
	connections := map[string]bool{}
	for _, r := range in.requests {
		connections[r.RemoteAddr] = true
	}
	if most.Load() < together || most.Load() > 32 || len(connections) > 40 {
		t.Errorf("%d at once, %d connections for %d events", most.Load(), len(connections), events)
	}
}

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
	start := time.Now()
	w.happen(t, 20)
	eventually(t, "what is for the one that is well", func() bool { return len(well.ids()) == 20 })
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
	for _, in := range hanging {
		if n := in.count(); n > 40 {
			t.Errorf("%d requests to one that hangs", n)
		}
	}
	stop()
}
