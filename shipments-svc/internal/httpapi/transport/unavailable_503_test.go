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
				_, usual := burst(t, newAPIAt(t, dsn), atOnce, time.Minute)
				a := newAPIAt(t, through)
				acknowledged := int64(0)
				if warm {
					got, _ := burst(t, a, atOnce, time.Minute)
					acknowledged += got[http.StatusCreated]
				}
				if fault == faultproxy.Full {
					proxy.Set(faultproxy.Refused) // connections that are open would go on
				}
				proxy.Set(fault)
				for range 2 {
					got, _ := burst(t, a, atOnce, 2*time.Second+usual)
					acknowledged += got[http.StatusCreated]
					if got[http.StatusServiceUnavailable] != 2*atOnce {
						t.Errorf("statuses %v, want %d times 503", got, 2*atOnce)
					}
				}
				proxy.Set(faultproxy.None)
				if back := recovery(t, a); back > 5*time.Second {
					t.Errorf("service was back after %s", back)
				}
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
	_, usual := burst(t, a, 30, time.Minute)
	admin, err := sqlx.Open("postgres", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = admin.Close() }()
	if _, err := admin.ExecContext(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid()`); err != nil {
		t.Fatal(err)
	}
	got, _ := burst(t, a, 30, 2*time.Second+usual)
	if got[http.StatusOK]+got[http.StatusCreated]+got[http.StatusServiceUnavailable] != 60 {
		t.Errorf("statuses %v", got)
	}
	if back := recovery(t, a); back > 5*time.Second {
		t.Errorf("service was back after %s", back)
	}
}

// burst sends n lists and n creates at once, counts the statuses and returns
// the longest time that one took. Each must be answered within a time: two
// seconds, and what the slowest takes on this machine while Postgres works.
func burst(t *testing.T, a *api, n int, within time.Duration) (statuses map[int]int64, slowest time.Duration) {
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
				if res.took > within {
					t.Errorf("%s took %s", c.method, res.took)
				}
				if res.status == http.StatusServiceUnavailable && res.header.Get("Retry-After") != "2" {
					t.Errorf("Retry-After is %q", res.header.Get("Retry-After"))
				}
				mu.Lock()
				defer mu.Unlock()
				statuses[res.status]++
				slowest = max(slowest, res.took)
			})
		}
	}
	wg.Wait()
	return statuses, slowest
}

// recovery returns how long it takes until a request succeeds.
func recovery(t *testing.T, a *api) time.Duration {
	t.Helper()
	start := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		if res, err := a.send(ctx, call{}); err != nil {
			t.Fatal(err)
		} else if res.status == http.StatusOK {
			return time.Since(start)
		}
	}
}
