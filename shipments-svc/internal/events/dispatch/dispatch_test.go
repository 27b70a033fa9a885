package dispatch_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/quayside/quayside/gateway/servicekit/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/events/dispatch"
	"github.com/quayside/quayside/shipments-svc/internal/events/sealing"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/postgres/faultproxy"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
	"github.com/quayside/quayside/shipments-svc/internal/shipments/repotest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	postgrestest.Drop()
	os.Exit(code)
}

// clock is a fake clock.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}

// world is a database with webhooks and a dispatcher.
type world struct {
	dsn      string
	keys     sealing.Keys
	queue    *postgres.Webhooks
	hooks    *webhooks.Service
	org      shipments.OrgID
	clock    *clock
	notified chan struct{}
}

func newWorld(t testing.TB) *world {
	t.Helper()
	keys, err := sealing.Parse("1:ZGVtby13ZWJob29rLWtleS1mb3ItbGFwdG9wcy14eHg=")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{dsn: postgrestest.New(t, postgres.Migrate), keys: keys, org: repotest.Org(), clock: &clock{now: time.Now()}, notified: make(chan struct{}, 1)}
	w.queue, _ = w.queueAt(t, w.dsn)
	w.hooks = webhooks.NewService(w.queue, func() [16]byte { return uuid.Must(uuid.NewV7()) }, w.clock.Now, true)
	return w
}

func (w *world) queueAt(t testing.TB, dsn string) (queue *postgres.Webhooks, closed func()) {
	t.Helper()
	db, err := postgres.Open(dsn, postgrestest.Session())
	if err != nil {
		t.Fatal(err)
	}
	closed = sync.OnceFunc(func() { _ = db.Close() })
	t.Cleanup(closed)
	return postgres.NewWebhooks(postgres.NewRepository(db), w.keys, w.ring), closed
}

func (w *world) ring() {
	select {
	case w.notified <- struct{}{}:
	default:
	}
}

func (w *world) endpoint(t testing.TB, url string) webhooks.Made {
	t.Helper()
	made, err := w.hooks.Create(t.Context(), w.org, webhooks.Draft{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// happen creates and numbers n events.
func (w *world) happen(t testing.TB, n int) {
	t.Helper()
	for range n {
		if err := w.queue.Create(t.Context(), w.org, repotest.Shipment(shipments.Pending, w.clock.Now()), repotest.By); err != nil {
			t.Fatal(err)
		}
	}
	if numbered, _, err := w.queue.Number(t.Context(), w.org, 1000); err != nil || numbered != n {
		t.Fatalf("%d (%v)", numbered, err)
	}
	w.ring()
}

// dispatch runs a Dispatcher until the returned function is called.
func (w *world) dispatch(t testing.TB, queue dispatch.Queue, timeout time.Duration) (stop func()) {
	t.Helper()
	client := dispatch.NewClient(dispatch.ClientConfig{Loopback: true})
	client.Timeout = timeout
	d := dispatch.New(queue, dispatch.Config{
		Client: client, Notified: w.notified, Now: w.clock.Now, Note: func(error) {},
		Attempted: func(webhooks.Outcome, time.Duration) {}, Overdue: func(int) {},
		Render: func(job webhooks.Job) (m dispatch.Message, err error) {
			m.ID, m.Body, err = transport.Webhook(job.Event)
			return m, err
		},
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	over := make(chan struct{})
	go func() { d.Run(ctx); close(over) }()
	stop = sync.OnceFunc(func() { cancel(); <-over })
	t.Cleanup(stop)
	return stop
}

// inbox is a receiver that records requests.
type inbox struct {
	*httptest.Server
	answer func(nth int, w http.ResponseWriter)

	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
}

func newInbox(t testing.TB, answer func(nth int, w http.ResponseWriter)) *inbox {
	t.Helper()
	in := &inbox{answer: answer}
	in.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		in.mu.Lock()
		in.requests, in.bodies = append(in.requests, r), append(in.bodies, string(body))
		nth := len(in.requests)
		in.mu.Unlock()
		if in.answer != nil {
			in.answer(nth, w)
		}
	}))
	t.Cleanup(in.Close)
	return in
}

func (in *inbox) count() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return len(in.requests)
}

// ids returns how often each event was received.
func (in *inbox) ids() map[string]int {
	in.mu.Lock()
	defer in.mu.Unlock()
	all := map[string]int{}
	for _, r := range in.requests {
		all[r.Header.Get("webhook-id")]++
	}
	return all
}

// eventually waits until ok.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("not in time: %s", what)
		}
	}
}

func (w *world) deliveries(t *testing.T, id webhooks.ID) []webhooks.Delivery {
	t.Helper()
	page, err := w.hooks.Deliveries(t.Context(), w.org, webhooks.DeliveryQuery{Endpoint: id, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	return page.Deliveries
}

// TestSignaturesPassTheReferenceLibrary of Standard Webhooks, with one secret and, for
// a day after a rotation, with both.
func TestSignaturesPassTheReferenceLibrary(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := newInbox(t, nil)
	first := w.endpoint(t, in.URL)
	w.dispatch(t, w.queue, time.Second)
	arrives := func(nth int) {
		t.Helper()
		eventually(t, "the delivery", func() bool { return in.count() >= nth })
	}
	w.happen(t, 1)
	arrives(1)
	second, err := w.hooks.RotateSecret(t.Context(), w.org, first.ID)
	if err != nil {
		t.Fatal(err)
	}
	w.happen(t, 1)
	arrives(2)
	w.clock.advance(webhooks.Overlap)
	w.happen(t, 1)
	arrives(3)
	in.mu.Lock()
	defer in.mu.Unlock()
	for i, want := range []map[string]bool{{"first": true, "second": false}, {"first": true, "second": true}, {"first": false, "second": true}} {
		r, body := in.requests[i], in.bodies[i]
		for name, made := range map[string]webhooks.Made{"first": first, "second": second} {
			check, err := standardwebhooks.NewWebhook(made.Secret.Reveal())
			if err != nil {
				t.Fatal(err)
			}
			verify := check.Verify
			if i == 2 {
				verify = check.VerifyIgnoringTimestamp // it is of tomorrow
			}
			if err := verify([]byte(body), r.Header); (err == nil) != want[name] {
				t.Errorf("delivery %d with the %s secret: %v", i+1, name, err)
			}
		}
		if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" || !strings.Contains(body, `"id":"`+r.Header.Get("webhook-id")+`","type":"shipment.created"`) {
			t.Errorf("%s %v %s", r.Method, r.Header, body)
		}
	}
}

// TestDeliveriesAreAttemptedTenTimes with the same id and body; then they have
// failed.
func TestDeliveriesAreAttemptedTenTimes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := newInbox(t, func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) })
	made := w.endpoint(t, in.URL)
	w.dispatch(t, w.queue, time.Second)
	w.happen(t, 1)
	for tries := 1; tries <= 10; tries++ {
		var d webhooks.Delivery
		eventually(t, fmt.Sprint("attempt ", tries), func() bool {
			d = w.deliveries(t, made.ID)[0]
			return len(d.Attempts) == tries
		})
		if tries < 10 {
			w.clock.advance(d.Due.Sub(w.clock.Now()) - time.Second)
			w.ring()
			w.clock.advance(time.Second)
			w.ring()
		}
	}
	d := w.deliveries(t, made.ID)[0]
	if d.Status != webhooks.Failed || in.count() != 10 || len(in.ids()) != 1 {
		t.Errorf("%+v, %d requests of %d events", d, in.count(), len(in.ids()))
	}
	for i, a := range d.Attempts {
		if a.Outcome != webhooks.Refused || a.Response != 500 || in.bodies[i] != in.bodies[0] {
			t.Errorf("attempt %d: %+v, %s", i+1, a, in.bodies[i])
		}
	}
	if span := d.Attempts[9].At.Sub(d.Attempts[0].At); span < 75*time.Hour || span > 92*time.Hour {
		t.Errorf("it was tried for %s", span)
	}
	in.answer = nil
	if _, err := w.hooks.Replay(t.Context(), w.org, webhooks.Replay{Endpoint: made.ID}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the replay", func() bool { return w.deliveries(t, made.ID)[0].Status == webhooks.Delivered })
}

func TestStatus410DisablesTheEndpoint(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := newInbox(t, func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusGone) })
	made := w.endpoint(t, in.URL)
	w.happen(t, 1)
	w.dispatch(t, w.queue, time.Second)
	eventually(t, "that it is disabled", func() bool {
		e, err := w.hooks.Get(t.Context(), w.org, made.ID)
		return err == nil && e.Status == webhooks.Disabled && e.Reason == webhooks.Gone
	})
}

// TestFailingEndpointIsDisabled after days, with the reason; enabled again it gets the
// waiting deliveries, and failing_since is reset.
func TestFailingEndpointIsDisabled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var well atomic.Bool
	in := newInbox(t, func(_ int, w http.ResponseWriter) {
		if !well.Load() {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	made := w.endpoint(t, in.URL)
	w.dispatch(t, w.queue, time.Second)
	is := func(what string, ok func(webhooks.Endpoint) bool) {
		t.Helper()
		eventually(t, what, func() bool {
			e, err := w.hooks.Get(t.Context(), w.org, made.ID)
			return err == nil && ok(e)
		})
	}
	begun := w.clock.Now()
	w.happen(t, 1)
	is("that it fails", func(e webhooks.Endpoint) bool { return !e.FailingSince.IsZero() && e.Status == webhooks.Enabled })
	well.Store(true)
	w.clock.advance(webhooks.MaxFailing)
	w.happen(t, 1)
	is("that it works again", func(e webhooks.Endpoint) bool { return e.FailingSince.IsZero() && e.Status == webhooks.Enabled })
	// Their results are stored: a later one would say again that the endpoint works.
	eventually(t, "both deliveries", func() bool {
		deliveries := w.deliveries(t, made.ID)
		for _, d := range deliveries {
			if d.Status != webhooks.Delivered {
				return false
			}
		}
		return len(deliveries) == 2
	})
	well.Store(false)
	w.happen(t, 1)
	is("that it fails", func(e webhooks.Endpoint) bool {
		return e.FailingSince.After(begun.Add(webhooks.MaxFailing - time.Second))
	})
	w.clock.advance(webhooks.MaxFailing - time.Minute)
	w.ring()
	eventually(t, "another attempt", func() bool {
		for _, d := range w.deliveries(t, made.ID) {
			if len(d.Attempts) == 2 && d.Status == webhooks.Pending {
				return true
			}
		}
		return false
	})
	is("that it is still enabled", func(e webhooks.Endpoint) bool { return e.Status == webhooks.Enabled && e.Reason == "" })
	w.clock.advance(time.Hour)
	w.ring()
	is("that it is disabled", func(e webhooks.Endpoint) bool { return e.Status == webhooks.Disabled && e.Reason == webhooks.Failing })
	well.Store(true)
	e, err := w.hooks.Update(t.Context(), w.org, webhooks.Edit{ID: made.ID, Status: new(webhooks.Enabled)})
	if err != nil || e.Status != webhooks.Enabled || e.Reason != "" || !e.FailingSince.IsZero() {
		t.Errorf("%+v (%v)", e, err)
	}
	w.clock.advance(24 * time.Hour)
	w.ring()
	eventually(t, "what waited", func() bool {
		for _, d := range w.deliveries(t, made.ID) {
			if d.Status != webhooks.Delivered {
				return false
			}
		}
		return true
	})
}

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
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
	for _, in := range hanging {
		if n := in.count(); n > 40 {
			t.Errorf("%d requests to one that hangs", n)
		}
	}
	stop()
}

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
	const kills, each = 100, 3
	cut := 0
	proxy, through := faultproxy.New(t, w.dsn)
	for range kills {
		w.happen(t, each)
		pool, closed := w.queueAt(t, through)
		queue := &mortal{Webhooks: pool}
		proxy.CutAfter(random.IntN(60))
		stop := w.dispatch(t, queue, time.Second)
		eventually(t, "the end of a life", func() bool {
			n, err := w.queue.Overdue(t.Context(), w.clock.Now(), 1)
			return err == nil && n == 0 || queue.dead()
		})
		queue.kill()
		stop()
		closed()
		if proxy.Disarm() {
			cut++
		}
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
	if cut < kills/4 {
		t.Errorf("only %d connections were cut", cut)
	}
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

func (m *mortal) Due(ctx context.Context, after webhooks.Place, now time.Time, limit int) ([]webhooks.Place, *webhooks.Place, error) {
	if m.dead() {
		return nil, nil, net.ErrClosed
	}
	due, next, err := m.Webhooks.Due(ctx, after, now, limit)
	return due, next, m.lives(err)
}

func (m *mortal) Claim(ctx context.Context, p webhooks.Place, now, until time.Time) (webhooks.Job, bool, error) {
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

// TestShutdownReleasesDeliveries whose attempts do not end, without counting the
// attempt.
func TestShutdownReleasesDeliveries(t *testing.T) {
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
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %s to stop", took)
	}
	if d := w.deliveries(t, made.ID)[0]; d.Status != webhooks.Pending || len(d.Attempts) != 0 || d.Due.IsZero() || d.Due.After(w.clock.Now().Add(time.Second)) {
		t.Errorf("%+v", d)
	}
}
