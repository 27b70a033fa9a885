package transport_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/postgres/faultproxy"
)

// TestServiceRecoversFromEveryPostgresFault: with more
// requests at once than the pool has connections, and however Postgres fails,
// every answer is a 503 within two seconds; once it is back, so is the
// service, with all that it acknowledged. It does not run beside other tests,
// because it measures time.
func TestServiceRecoversFromEveryPostgresFault(t *testing.T) {
	const atOnce = 25 // lists, and as many creates: more than twice the pool
	for name, fault := range map[string]faultproxy.Fault{
		"silent":                  faultproxy.Silent,
		"refusing connections":    faultproxy.Refused,
		"with too many connected": faultproxy.Full,
		"talking nonsense":        faultproxy.Garbled,
	} {
		for _, warm := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, connected before: %t", name, warm), func(t *testing.T) {
				dsn := postgrestest.New(t, postgres.Migrate)
				proxy, through := faultproxy.New(t, dsn)
				a := newAPIAt(t, through)
				acknowledged := int64(0)
				if warm {
					got := burst(t, a, atOnce)
					acknowledged += got[http.StatusCreated]
				}
				if fault == faultproxy.Full {
					proxy.Set(faultproxy.Refused) // connections that are open would go on
				}
				proxy.Set(fault)
				for range 2 {
					got := burst(t, a, atOnce)
					acknowledged += got[http.StatusCreated]
					if got[http.StatusServiceUnavailable] != 2*atOnce {
						t.Errorf("statuses %v, want %d times 503", got, 2*atOnce)
					}
				}
				proxy.Set(faultproxy.None)
				awaitService(t, a)
				if n := a.total(t); n < acknowledged {
					t.Errorf("%d shipments, %d were acknowledged", n, acknowledged)
				}
				if log := a.log.String(); strings.Contains(log, `"level":"ERROR"`) {
					t.Errorf("errors were logged: %.2000s", log)
				}
			})
		}
	}
}

// TestServiceRecoversWhenPostgresHasRestarted: connections that the server closed are
// replaced without a restart.
func TestServiceRecoversWhenPostgresHasRestarted(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.New(t, postgres.Migrate)
	a := newAPIAt(t, dsn)
	burst(t, a, 30)
	admin, err := sqlx.Open("postgres", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = admin.Close() }()
	if _, err := admin.ExecContext(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid()`); err != nil {
		t.Fatal(err)
	}
	got := burst(t, a, 30)
	if got[http.StatusOK]+got[http.StatusCreated]+got[http.StatusServiceUnavailable] != 60 {
		t.Errorf("statuses %v", got)
	}
	awaitService(t, a)
}

// burst sends n lists and n creates at once and counts the statuses. No request waits for a Postgres that does not answer.
func burst(t *testing.T, a *api, n int) (statuses map[int]int64) {
	t.Helper()
	var mu sync.Mutex
	statuses = map[int]int64{}
	var wg sync.WaitGroup
	for range n {
		for _, c := range []call{{}, {method: http.MethodPost, body: valid}} {
			wg.Go(func() {
				res, err := a.send(t.Context(), c)
				if err != nil {
					t.Error(err)
					return
				}
				if res.took > 30*time.Second {
					t.Errorf("%s took %s", c.method, res.took)
				}
				if res.status == http.StatusServiceUnavailable && res.header.Get("Retry-After") != "2" {
					t.Errorf("Retry-After is %q", res.header.Get("Retry-After"))
				}
				mu.Lock()
				defer mu.Unlock()
				statuses[res.status]++
			})
		}
	}
	wg.Wait()
	return statuses
}

// awaitService waits until a request succeeds.
func awaitService(t *testing.T, a *api) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		if res, err := a.send(ctx, call{}); err != nil {
			t.Fatal(err)
		} else if res.status == http.StatusOK {
			return
		}
	}
}
