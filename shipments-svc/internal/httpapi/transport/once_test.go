package transport_test

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/postgres/proxytest"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// posts is one request of every POST, each of which would not do twice.
func (a *api) posts(tb testing.TB) map[string]call {
	tb.Helper()
	return map[string]call{
		"create":  post(collection, valid),
		"approve": post(a.loaded(tb, shipments.ReadyForReview)+"/approve", `{"override_reason":"r"}`),
		"reject":  reject(a.loaded(tb, shipments.ReadyForReview)),
		"attach":  attach(a.loaded(tb, shipments.Pending)),
		"upload":  file(a.loaded(tb, shipments.Pending), "packing_list", "n.csv", "P-1\n"),
	}
}

// TestCreationsWithKeysWaitForEachOther, within the time of production, rather than being refused.
func TestCreationsWithKeysWaitForEachOther(t *testing.T) {
	t.Parallel()
	a := newAPIAt(t, postgrestest.New(t, postgres.Migrate))
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			res := a.do(t, post(collection, valid).with("Idempotency-Key", fmt.Sprint("key-", i)))
			if res.status != http.StatusCreated {
				t.Errorf("status %d: %s", res.status, res.body)
			}
		})
	}
	all.Wait()
}

// TestEveryPostIsDoneOnceForItsKey, and is answered each time alike.
func TestEveryPostIsDoneOnceForItsKey(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for name, c := range a.posts(t) {
		c = c.with("Idempotency-Key", `"8e03978e-40d5-43e8-bc93-6894a57f9324"`)
		first := a.do(t, c)
		if first.status >= http.StatusBadRequest || first.header.Get("Idempotency-Replayed") != "" {
			t.Fatalf("%s: status %d, %s", name, first.status, first.body)
		}
		for range 2 {
			again := a.do(t, c)
			if again.status != first.status || string(again.body) != string(first.body) ||
				again.header.Get("Idempotency-Replayed") != "true" ||
				again.header.Get("ETag") != first.header.Get("ETag") ||
				again.header.Get("Location") != first.header.Get("Location") {
				t.Errorf("%s: status %d, %v, %s, want %s", name, again.status, again.header, again.body, first.body)
			}
		}
		other := c
		other.body = strings.Replace(c.body, `":`, `": `, 1)
		a.do(t, other).wants(t, http.StatusUnprocessableEntity, "idempotency_key_reused")
		if name == "attach" || name == "upload" {
			blind := c.with("X-Token-Permissions", "documents:write")
			if again := a.do(t, blind); again.status != first.status || len(again.document(t).Checks) != 0 {
				t.Errorf("%s: %d, %s to a token that may not read shipments", name, again.status, again.body)
			}
		}
		if res := a.do(t, c.with("X-Token-Permissions", "")); res.status != http.StatusForbidden {
			t.Errorf("%s: status %d without the permission", name, res.status)
		}
	}
	if n := a.total(t); n != 5 {
		t.Errorf("%d shipments", n)
	}
	a.do(t, post(collection, valid).with("Idempotency-Key", "a b")).wants(t, http.StatusBadRequest, "invalid_header")
}

// TestInterruptedRequestTakesEffectOnce cuts the connection to Postgres at many moments of
// a request, as when this program or Postgres is killed there, and sends the request
// again: whatever became of the first, the effect is there once.
func TestInterruptedRequestTakesEffectOnce(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.New(t, postgres.Migrate)
	proxy, through := proxytest.New(t, dsn)
	a := newAPIAt(t, through)
	// What each request needs is made, and what it did is read, on connections that are not cut.
	uncut := newAPIOn(t, dsn, postgrestest.Session(), 10*postgres.RequestTimeout).as(a.org)
	for kind, action := range map[string]string{"create": "create", "approve": "approve", "upload": "attach_document"} {
		cut := 0
		for i := range 20 {
			c := uncut.posts(t)[kind].with("Idempotency-Key", fmt.Sprint("key-", i))
			before := uncut.total(t)
			done := proxy.CutIn(time.Duration(i) * time.Millisecond / 4)
			interrupted, err := a.send(t.Context(), c)
			done()
			if err != nil {
				t.Fatal(err)
			}
			if s := interrupted.status; s >= http.StatusBadRequest {
				if cut++; s != http.StatusServiceUnavailable {
					t.Errorf("%s: status %d, %s", kind, s, interrupted.body)
				}
			}
			res := a.again(t, c)
			if res.status >= http.StatusBadRequest ||
				interrupted.status < http.StatusBadRequest && string(res.body) != string(interrupted.body) {
				t.Errorf("%s: status %d, %s, before that %s", kind, res.status, res.body, interrupted.body)
			}
			created := int64(0)
			if kind == "create" {
				created = 1
			} else if h := uncut.history(t, path.Dir(c.path)).History; len(h) != 2 || h[0].Action != action {
				t.Errorf("%s: the history is %+v", kind, h)
			}
			if n := uncut.total(t) - before; n != created {
				t.Errorf("%s: %d shipments more, want %d", kind, n, created)
			}
		}
		t.Logf("%s was interrupted %d times", kind, cut)
	}
}

// again sends a request until the one before it, whose connection is gone, is
// over.
func (a *api) again(t *testing.T, c call) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		res, err := a.send(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		if res.status != http.StatusConflict && res.status != http.StatusServiceUnavailable {
			return res
		}
	}
}
