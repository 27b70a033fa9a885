package transport_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestWaitingGetReturnsTheChange, and not before.
func TestWaitingGetReturnsTheChange(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := a.loaded(t, shipments.ReadyForReview)
	answered := make(chan answer)
	go func() {
		known := call{path: path}.with("If-None-Match", `"3.1"`)
		res, err := a.send(t.Context(), known.with("Prefer", `respond-async, Wait="20";x`))
		if err != nil {
			t.Error(err)
		}
		answered <- res
	}()
	a.do(t, approve(path)).wants(t, http.StatusOK, "")
	res := <-answered
	if s := res.shipment(t); s["status"] != "approved" || res.header.Get("ETag") != `"3.2"` ||
		res.took > 18*time.Second || res.header.Get("Preference-Applied") != "wait=20" {
		t.Errorf("after %s: %s, %v", res.took, res.body, res.header)
	}
}

func TestAWaitIsOverWithoutAChange(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := a.loaded(t, shipments.ReadyForReview)
	res := a.do(t, call{path: path}.with("Prefer", "wait=1").with("If-None-Match", `"3.1"`))
	if res.wants(t, http.StatusNotModified, ""); res.took < time.Second ||
		res.header.Get("Preference-Applied") != "wait=1" {
		t.Errorf("after %s, %v", res.took, res.header)
	}
	for name, c := range map[string]call{
		"I have an older one":   call{path: path}.with("Prefer", "wait=25").with("If-None-Match", `"3.0"`),
		"no seconds":            call{path: path}.with("Prefer", "wait=0"),
		"malformed":             call{path: path}.with("Prefer", "wait=soon"),
		"negative":              call{path: path}.with("Prefer", "wait=-1"),
		"another preference":    call{path: path}.with("Prefer", "wait-for=25"),
		"no space of HTTP":      call{path: path}.with("Prefer", "\u00a0wait=25"),
		"the first of two":      call{path: path}.with("Prefer", "wait=0, wait=25"),
		"without a value":       call{path: path}.with("Prefer", "wait"),
		"of an unknown one":     call{path: nothing}.with("Prefer", "wait=25"),
		"a preference for ever": call{path: nothing}.with("Prefer", "wait=99999999999999999999"),
	} {
		if res := a.do(t, c); res.took > 20*time.Second {
			t.Errorf("%s: status %d after %s", name, res.status, res.took)
		}
	}
}
