package transport_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// members is what the problems of some codes have besides.
type members struct {
	Detail     string
	Allowed    []string `json:"allowed_actions"`
	DocumentID string   `json:"document_id"`
	Failing    []string `json:"failing_checks"`
}

// conflict is what an answer says that must be a 409 of that code.
func (r answer) conflict(tb testing.TB, code string) members {
	tb.Helper()
	var p struct {
		members
		Code string
	}
	if err := json.Unmarshal(r.body, &p); err != nil || r.status != http.StatusConflict || p.Code != code {
		tb.Fatalf("status %d, %s (%v), want 409 %s", r.status, r.body, err, code)
	}
	return p.members
}

func TestInvalidTransitionListsTheAllowedActions(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := a.loaded(t, shipments.Approved)
	for _, c := range []call{update(path), reject(path), remove(path), attach(path)} {
		if p := a.do(t, c).conflict(t, "invalid_transition"); !slices.Equal(p.Allowed, []string{"approve"}) {
			t.Errorf("%s %s: allowed are %v", c.method, c.path, p.Allowed)
		}
	}
	if tag := a.do(t, call{path: path}).header.Get("ETag"); tag != `"3.1"` {
		t.Errorf("the shipment was changed, ETag %s", tag)
	}
}

func TestFailingChecksAreNamed(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := a.loaded(t, shipments.ReadyForReview, shipments.Pass, shipments.Fail, shipments.Warn)
	p := a.do(t, approve(path)).conflict(t, "checks_failing")
	if !slices.Equal(p.Failing, []string{"check_fail"}) ||
		p.Detail != "Checks are failing: check_fail; to approve nevertheless, give an override_reason." {
		t.Errorf("%+v", p)
	}
}

// TestOneOfConcurrentApprovalsAndRejectionsSucceeds: fifty at once, of which each
// would do alone.
func TestOneOfConcurrentApprovalsAndRejectionsSucceeds(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := a.loaded(t, shipments.ReadyForReview)
	var mu sync.Mutex
	statuses := map[string]int{}
	var wg sync.WaitGroup
	for i := range 50 {
		name, c := "approve", approve(path)
		if i%2 == 0 {
			name, c = "reject", reject(path)
		}
		wg.Go(func() {
			res, err := a.send(t.Context(), c)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			statuses[name+http.StatusText(res.status)]++
		})
	}
	wg.Wait()
	h := a.history(t, path).History
	if len(h) != 2 {
		t.Fatalf("%d decisions: %+v, %v", len(h)-1, h, statuses)
	}
	// Approving an approved shipment succeeds; it is rejected once.
	want := map[string]int{"approveOK": 25, "rejectConflict": 25}
	if h[0].Action == "reject" {
		want = map[string]int{"approveConflict": 25, "rejectOK": 1, "rejectConflict": 24}
	}
	unavailable := statuses["approveService Unavailable"] + statuses["rejectService Unavailable"] // on a busy machine
	for outcome, n := range want {
		if statuses[outcome] > n || statuses[outcome] < n-unavailable {
			t.Errorf("%s won: %v, want %v", h[0].Action, statuses, want)
		}
	}
	if n := a.list(t, "?status="+h[0].Status).Meta.Total + a.list(t, "?status=ready_for_review").Meta.Total; n != 1 {
		t.Errorf("%d are counted", n)
	}
}
