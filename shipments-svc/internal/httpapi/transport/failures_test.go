package transport_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/gateway/servicekit/testserver"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/postgres/proxytest"
)

// TestCanceledRequestIsNoServerError: what it did not wait for is
// logged as 499, without an error, however the database reports it.
func TestCanceledRequestIsNoServerError(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan struct{}), make(chan struct{})
	a := newAPIOf(t, fakeService(fakeRepository{list: func(ctx context.Context) error {
		close(begun)
		<-ctx.Done()
		defer close(ended)
		return fmt.Errorf("list: %w", ctx.Err())
	}}))
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-begun
		leave()
	}()
	if _, err := a.send(ctx, call{}); err == nil {
		t.Error("there was an answer")
	}
	<-ended
	log := waitFor(t, a.log, `"msg":"request"`)
	if strings.Contains(log, `"level":"ERROR"`) || strings.Contains(log, `"level":"WARN"`) ||
		!strings.Contains(log, `"status":499`) {
		t.Errorf("the log is %s", log)
	}
	if got := a.observed.String(); got != "GET /api/v1/shipments canceled\n" {
		t.Errorf("observed %q", got)
	}
}

// waitFor waits until a log has a text, and returns the log.
func waitFor(t *testing.T, log *testserver.Log, text string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(log.String(), text) {
		select {
		case <-ctx.Done():
			t.Fatalf("%s is not in the log: %s", text, log)
		case <-tick.C:
		}
	}
	return log.String()
}

func TestUnexpectedErrorIsLoggedOnceAndNotReturned(t *testing.T) {
	t.Parallel()
	for name, list := range map[string]func(context.Context) error{
		"an error":        func(context.Context) error { return errors.New("secret cause") },
		"a panic":         func(context.Context) error { panic("secret cause") },
		"a runtime error": func(ctx context.Context) error { return ctx.Value("secret").(error) },
	} {
		a := newAPIOf(t, fakeService(fakeRepository{list: list}))
		res := a.do(t, call{})
		p := res.problem(t, http.StatusInternalServerError, "internal_error")
		if strings.Contains(string(res.body), "secret") ||
			p.Detail != "An unexpected error occurred; it is logged under the request_id." {
			t.Errorf("%s: the client sees %s", name, res.body)
		}
		log := a.log.String()
		if strings.Count(log, `"level":"ERROR"`) != 1 || strings.Count(log, p.RequestID) != 2 ||
			!strings.Contains(log, a.org) || !strings.Contains(log, "secret cause") && name != "a runtime error" ||
			!strings.Contains(log, "failures_test.go") && name != "an error" {
			t.Errorf("%s: the log is %s", name, log)
		}
		if got := a.observed.String(); name == "an error" && got != "GET /api/v1/shipments internal_error\n" {
			t.Errorf("observed %q", got)
		}
	}
}

// TestServiceRecoversFromEveryPostgresFault: with more requests at once than the pool has
// connections, and however Postgres fails, every answer is a 503, or 429 behind others of the organization; once it is
// back, so is the service, with all that it acknowledged.
func TestServiceRecoversFromEveryPostgresFault(t *testing.T) {
	t.Parallel()
	for name, hangs := range map[string]bool{"silent": true, "refusing connections": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy, through := proxytest.New(t, postgrestest.New(t, postgres.Migrate))
			a := newAPIAt(t, through)
			acknowledged := burst(t, a)[http.StatusCreated]
			if hangs {
				proxy.Hang()
			} else {
				proxy.Stop()
			}
			got := burst(t, a)
			if n := got[http.StatusServiceUnavailable]; n == 0 || n+got[http.StatusTooManyRequests] != 2*atOnce {
				t.Errorf("statuses %v, want 503, and 429", got)
			}
			if hangs {
				proxy.Heal()
			} else if err := proxy.Start(); err != nil {
				t.Fatal(err)
			}
			recovers(t, a)
			if n := a.total(t); n < acknowledged {
				t.Errorf("%d shipments, %d were acknowledged", n, acknowledged)
			}
			if log := a.log.String(); strings.Contains(log, `"level":"ERROR"`) {
				t.Errorf("errors were logged: %.2000s", log)
			}
		})
	}
}

// atOnce is how many lists, and how many creates, a burst has: more than twice the pool.
const atOnce = 25

// burst sends lists and creates at once and counts the statuses.
func burst(t *testing.T, a *api) (statuses map[int]int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var mu sync.Mutex
	statuses = map[int]int64{}
	var wg sync.WaitGroup
	for range atOnce {
		for _, c := range []call{{}, post(collection, valid)} {
			wg.Go(func() {
				res, err := a.send(ctx, c)
				if err != nil {
					t.Error(err)
					return
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

// recovers waits until a request succeeds.
func recovers(t *testing.T, a *api) {
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
