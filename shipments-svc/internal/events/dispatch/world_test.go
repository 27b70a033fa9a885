package dispatch_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/gateway/servicekit/settings/sealing"
	"github.com/quayside/quayside/shipments-svc/internal/events/dispatch"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

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
	dsn   string
	keys  sealing.Keys
	queue *postgres.Webhooks
	hooks *webhooks.Service
	org   shipments.OrgID
	clock *clock
}

func newWorld(t testing.TB) *world {
	t.Helper()
	keys, err := sealing.Parse("1:ZGVtby13ZWJob29rLWtleS1mb3ItbGFwdG9wcy14eHg=")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		dsn:   postgrestest.New(t, postgres.Migrate),
		keys:  keys,
		org:   shipments.OrgID(shipments.OrganizationOf(shipments.OrgID(uuid.New()))), // with live data
		clock: &clock{now: time.Now()},
	}
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
	repo := postgres.NewRepository(db)
	if w.queue != nil {
		repo = w.queue.On(db)
	}
	return postgres.NewWebhooks(repo, w.keys), closed
}

func (w *world) ring() {
	select {
	case w.queue.WebhooksDue <- struct{}{}:
	default:
	}
}

func (w *world) endpoint(t testing.TB, url string) webhooks.EndpointWithSecret {
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
		if err := w.queue.Create(t.Context(), w.org, shipments.Shipment{
			ID: shipments.ID(uuid.New()), Status: shipments.Pending, Version: 1,
			CreatedAt: w.clock.Now().UTC().Truncate(time.Millisecond),
		}, shipments.Actor{}); err != nil {
			t.Fatal(err)
		}
	}
	if numbered, _, err := w.queue.Number(t.Context(), w.org, 1000); err != nil || numbered != n {
		t.Fatalf("%d (%v)", numbered, err)
	}
}

// dispatch runs a Dispatcher until the returned function is called.
func (w *world) dispatch(t testing.TB, queue dispatch.Queue, timeout time.Duration) (stop func()) {
	t.Helper()
	client := dispatch.NewClient(dispatch.ClientConfig{Loopback: true})
	client.Timeout = timeout
	d := dispatch.New(queue, dispatch.Config{
		Client: client, Notified: w.queue.WebhooksDue, Now: w.clock.Now, Note: func(error) {},
		Attempted: func(webhooks.Outcome, time.Duration) {},
		Render:    transport.Webhook,
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
