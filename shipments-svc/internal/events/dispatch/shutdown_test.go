package dispatch_test

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/postgres/proxytest"
)

// TestDeliveryIsAtLeastOnceAfterCrashes: the connections of Dispatchers to Postgres are
// cut at random moments, with leases held. In the end every event was received, some
// more than once with the same id.
func TestDeliveryIsAtLeastOnceAfterCrashes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	random := rand.New(rand.NewPCG(7, 7))
	in := newInbox(t, func(nth int, w http.ResponseWriter) {
		if nth%5 == 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	w.endpoint(t, in.URL)
	const kills, each = 50, 3
	cut := 0
	proxy, through := proxytest.New(t, w.dsn)
	for range kills {
		w.happen(t, each)
		pool, closed := w.queueAt(t, through)
		queue := &mortal{Webhooks: pool}
		done := proxy.CutIn(time.Duration(random.IntN(40)) * time.Millisecond)
		stop := w.dispatch(t, queue, time.Second)
		eventually(t, "the end of a life", func() bool {
			n, err := w.queue.Overdue(t.Context(), w.clock.Now())
			return err == nil && n == 0 || queue.dead()
		})
		if queue.dead() {
			cut++
		}
		queue.kill()
		stop()
		closed()
		done()
		w.clock.advance(2 * time.Minute) // leases end
	}
	w.dispatch(t, w.queue, time.Second)
	eventually(t, "everything", func() bool {
		w.clock.advance(time.Minute)
		return len(in.ids()) == kills*each
	})
	twice := 0
	for _, n := range in.ids() {
		if n > 1 {
			twice++
		}
	}
	t.Logf("%d of %d lives ended with a cut; %d of %d events came more than once", cut, kills, twice, kills*each)
}

// mortal is a queue that keeps failing after the first failure, as for a killed
// process.
type mortal struct {
	*postgres.Webhooks
	mu  sync.Mutex
	end bool
}

func (m *mortal) dead() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.end
}

func (m *mortal) kill() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.end = true
}

func (m *mortal) lives(err error) error {
	if err != nil {
		m.kill()
	}
	return err
}

func (m *mortal) Due(
	ctx context.Context, after webhooks.EndpointKey, now time.Time, limit int,
) ([]webhooks.EndpointKey, *webhooks.EndpointKey, error) {
	if m.dead() {
		return nil, nil, net.ErrClosed
	}
	due, next, err := m.Webhooks.Due(ctx, after, now, limit)
	return due, next, m.lives(err)
}

func (m *mortal) Claim(ctx context.Context, p webhooks.EndpointKey, now, until time.Time) (webhooks.Job, bool, error) {
	if m.dead() {
		return webhooks.Job{}, false, net.ErrClosed
	}
	job, ok, err := m.Webhooks.Claim(ctx, p, now, until)
	return job, ok, m.lives(err)
}

func (m *mortal) Finish(ctx context.Context, job webhooks.Job, a webhooks.Attempt, v webhooks.Verdict) error {
	if m.dead() {
		return nil // the dead do not try again
	}
	_ = m.lives(m.Webhooks.Finish(ctx, job, a, v))
	return nil
}

// TestShutdownWaitsForAttempts, and stores their results.
func TestShutdownWaitsForAttempts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	goOn := make(chan struct{})
	in := newInbox(t, func(int, http.ResponseWriter) { <-goOn })
	made := w.endpoint(t, in.URL)
	w.happen(t, 1)
	stop := w.dispatch(t, w.queue, 10*time.Second)
	eventually(t, "the request", func() bool { return in.count() == 1 })
	stopped := make(chan struct{})
	go func() { stop(); close(stopped) }()
	close(goOn)
	<-stopped
	if d := w.deliveries(t, made.ID)[0]; d.Status != webhooks.Delivered {
		t.Errorf("%+v", d)
	}
}

// TestShutdownEndsAttempts that do not end by themselves, without counting them.
func TestShutdownEndsAttempts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	release := make(chan struct{})
	in := newInbox(t, func(int, http.ResponseWriter) { <-release })
	t.Cleanup(func() { close(release) })
	made := w.endpoint(t, in.URL)
	w.happen(t, 1)
	stop := w.dispatch(t, w.queue, time.Minute)
	eventually(t, "the request", func() bool { return in.count() == 1 })
	start := time.Now()
	stop()
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("it took %s to stop", took)
	}
	if d := w.deliveries(t, made.ID)[0]; d.Status != webhooks.Pending || len(d.Attempts) != 0 {
		t.Errorf("%+v", d)
	}
}
