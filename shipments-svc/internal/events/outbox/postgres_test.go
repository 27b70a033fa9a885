package outbox_test

import (
	"context"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/events/outbox"
	"github.com/quayside/quayside/shipments-svc/internal/events/sealing"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
	"github.com/quayside/quayside/shipments-svc/internal/shipments/repotest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	postgrestest.Drop()
	os.Exit(code)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newQueue returns a queue on a fresh database, and a connection pool of its owner.
func newQueue(t *testing.T) (*postgres.Webhooks, *sqlx.DB) {
	t.Helper()
	keys, err := sealing.Parse("1:ZGVtby13ZWJob29rLWtleS1mb3ItbGFwdG9wcy14eHg=")
	must(t, err)
	dsn := postgrestest.New(t, postgres.Migrate)
	session := postgrestest.Session()
	session.AnswerTimeout = 0 // as in production
	db, err := postgres.Open(dsn, session)
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	operator, err := sqlx.Open("postgres", postgrestest.Direct(dsn))
	must(t, err)
	t.Cleanup(func() { _ = operator.Close() })
	return postgres.NewWebhooks(postgres.NewRepository(db), keys, func() {}), operator
}

// TestFailingOrganizationsDoNotDelayOthers: the inserts of one organization exceed
// the statement timeout, and those of another always fail. The events of the
// organizations after them are numbered meanwhile, those of the slow one in smaller
// batches.
func TestFailingOrganizationsDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	queue, operator := newQueue(t)
	orgs := []shipments.OrgID{repotest.Org(), repotest.Org(), repotest.Org(), repotest.Org()}
	slices.SortFunc(
		orgs, func(a, b shipments.OrgID) int { return slices.Compare(a[:], b[:]) },
	) // the order in which they are found
	slow, faulty, others := orgs[0], orgs[1], orgs[2:]
	must(
		t,
		queue.CreateEndpoint(
			t.Context(),
			slow,
			webhooks.Made{Endpoint: webhooks.Endpoint{ID: webhooks.ID{1}, URL: "https://hooks.example.com/"}},
		),
	)
	for _, statement := range []string{
		`CREATE FUNCTION hinder() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF NEW.organization_id = '` + uuid.UUID(faulty).String() + `' THEN RAISE 'a fault'; END IF;
			IF NEW.organization_id = '` + uuid.UUID(slow).String() + `' THEN PERFORM pg_sleep(0.01); END IF;
			RETURN NEW;
		END $$`,
		`CREATE TRIGGER hinder BEFORE INSERT ON webhook_deliveries FOR EACH ROW EXECUTE FUNCTION hinder()`,
		`CREATE TRIGGER hinder BEFORE INSERT ON events FOR EACH ROW WHEN (NEW.organization_id = '` + uuid.UUID(faulty).String() + `') EXECUTE FUNCTION hinder()`,
	} {
		_, err := operator.ExecContext(t.Context(), statement)
		must(t, err)
	}
	const many = 300 // 3 s of inserts
	details := make([]shipments.Detail, many)
	for i := range details {
		details[i].Shipment = repotest.Shipment(shipments.Pending, repotest.Noon)
	}
	_, err := queue.Import(t.Context(), slow, details)
	must(t, err)
	for _, org := range orgs[1:] {
		must(t, queue.Create(t.Context(), org, repotest.Shipment(shipments.Pending, repotest.Noon), repotest.By))
	}

	ctx, stop := context.WithCancel(t.Context())
	var mu sync.Mutex
	failing := map[shipments.OrgID]error{}
	r := outbox.New(queue, outbox.Config{
		Numbered: func(int, time.Duration) {}, Note: func(error) {},
		Failing: func(_ outbox.Work, org shipments.OrgID, err error, _ int) {
			mu.Lock()
			defer mu.Unlock()
			failing[org] = err
		},
	})
	over := make(chan struct{})
	go func() { r.Run(ctx); close(over) }()
	t.Cleanup(func() { stop(); <-over })
	await := func(org shipments.OrgID, n int) {
		t.Helper()
		deadline := time.Now().Add(time.Minute)
		again := time.NewTicker(10 * time.Millisecond)
		defer again.Stop()
		for ; ; <-again.C {
			if events, _, err := queue.Events(t.Context(), org, int64(n-1), 1); err == nil && len(events) == 1 {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("organization %s has no event %d", uuid.UUID(org), n)
			}
		}
	}
	for _, org := range others {
		await(org, 1)
	}
	if events, _, err := queue.Events(t.Context(), slow, 0, 1); err != nil || len(events) != 0 {
		t.Fatalf("the slow organization was not slow: %d events, %v", len(events), err)
	}
	await(slow, many)
	mu.Lock()
	defer mu.Unlock()
	if failing[faulty] == nil || failing[slow] != nil {
		t.Errorf("failing: %v", failing)
	}
}
