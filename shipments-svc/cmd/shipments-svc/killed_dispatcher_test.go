package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
)

// create creates a shipment and returns its id, or nothing if the process does
// not answer any more.
func (p *process) create(ctx context.Context, org string) (id string) {
	req, err := http.NewRequestWithContext(
		ctx,
		http.MethodPost,
		"http://"+p.public+"/api/v1/shipments",
		strings.NewReader(
			`{"shipment":{"reference":"PO-1","vessel":"MSC Carmen","origin":"Valparaíso","destination":"Rotterdam"}}`,
		),
	)
	if err != nil {
		return ""
	}
	req.Header = http.Header{
		assertion.HeaderOrganization: {
			org,
		}, assertion.HeaderToken: {"tok_4fZyo82mVyR1"}, assertion.HeaderPermissions: {"shipments:write"},
		"Content-Type": {"application/json"},
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return ""
	}
	defer func() { _ = res.Body.Close() }()
	var created struct{ Shipment struct{ ID string } }
	if json.NewDecoder(res.Body).Decode(&created) != nil || res.StatusCode != http.StatusCreated {
		return ""
	}
	return created.Shipment.ID
}

// TestNoEventIsLostWhenTheProgramIsKilled: four programs create shipments and deliver the
// events, and each is killed 8 times (with TEST_ALL=true 25 times), after a random time. Every acknowledged
// shipment has its event, the events' numbers have no gap, and the receiver gets
// every event.
func TestNoEventIsLostWhenTheProgramIsKilled(t *testing.T) {
	t.Parallel()
	const programs, longest = 4, 150 * time.Millisecond
	lives := 8
	if os.Getenv("TEST_ALL") != "" {
		lives = 25
	}
	dsn, documents, org := postgrestest.New(t, postgres.Migrate), t.TempDir(), publicid.New("org")
	arrived, acknowledged := make(chan string, 100_000), make(chan string, 100_000)
	receiver := httptest.NewServer(
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { arrived <- r.Header.Get("Webhook-Id") }),
	)
	defer receiver.Close()
	first := startProcess(t, dsn, documents)
	if status, answer := first.do(t, org, http.MethodPost, "/api/v1/webhook_endpoints", "application/json",
		strings.NewReader(fmt.Sprintf(`{"webhook_endpoint":{"url":%q}}`, receiver.URL))); status != http.StatusCreated {
		t.Fatalf("%d %s", status, answer)
	}
	first.kill()

	t.Run("lives", func(t *testing.T) {
		for i := range programs {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				random := rand.New(rand.NewPCG(11, uint64(i)))
				for range lives {
					p := startProcess(t, dsn, documents)
					killer := time.AfterFunc(time.Duration(random.Int64N(int64(longest))), func() { _ = p.Process.Kill() })
					for id := p.create(t.Context(), org); id != ""; id = p.create(t.Context(), org) {
						acknowledged <- id
					}
					killer.Stop()
					p.kill()
				}
			})
		}
	})
	close(acknowledged)
	before := len(arrived)

	last := startProcess(t, dsn, documents)
	all := last.allEvents(t, dsn, org)
	published, received := map[string]int{}, map[string]int{}
	for _, e := range all {
		if published[e.Data.Shipment.ID]++; published[e.Data.Shipment.ID] > 1 || e.Type != "shipment.created" {
			t.Errorf("%+v", e)
		}
		for received[e.ID] == 0 {
			select {
			case id := <-arrived:
				received[id]++
			case <-time.After(30 * time.Second):
				t.Fatalf("the event %d never came", e.Sequence)
			}
		}
	}
	for id := range acknowledged {
		if published[id] == 0 {
			t.Errorf("there is no event for %s", id)
		}
	}
	t.Logf("%d events, %d deliveries of them before the last kill", len(all), before)
	if before == 0 || len(all) < lives {
		t.Error("they are too few")
	}
}

type event struct {
	ID, Type string
	Sequence int64
	Data     struct{ Shipment struct{ ID string } }
}

// allEvents ends all leases, waits until every event has a number, and returns
// them.
func (p *process) allEvents(t *testing.T, dsn, org string) (all []event) {
	t.Helper()
	db, err := sqlx.Open("postgres", postgrestest.Direct(dsn))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), `UPDATE webhook_deliveries SET due_at = now() WHERE leased`); err != nil {
		t.Fatal(err)
	}
	for n := 1; n > 0; {
		if err := db.GetContext(t.Context(), &n, `SELECT count(*) FROM outbox`); err != nil {
			t.Fatal(err)
		}
	}
	for {
		_, answer := p.do(t, org, http.MethodGet, fmt.Sprintf("/api/v1/events?limit=100&after=%d", len(all)), "", nil)
		var page struct{ Events []event }
		if err := json.Unmarshal(answer, &page); err != nil {
			t.Fatalf("%s: %v", answer, err)
		}
		if len(page.Events) == 0 {
			return all
		}
		for _, e := range page.Events {
			if all = append(all, e); e.Sequence != int64(len(all)) {
				t.Fatalf("%d follows %d", e.Sequence, len(all)-1)
			}
		}
	}
}
