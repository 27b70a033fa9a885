package transport_test

import (
	"net/http"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestIfMatchRestrictsActions: with the tag of the present
// version, also as a compressing proxy spells it, it is; otherwise not.
func TestIfMatchRestrictsActions(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for value, met := range map[string]bool{
		`"2.1"`: true, `*`: true, `"2.1-gzip"`: true, `"2.1-zstd"`: true, `"2.1-br"`: true, `"x", "2.1"`: true,
		` "2.1" `: true,
		`"2.2"`:   false, `W/"2.1"`: false, `W/"2.1-gzip"`: false, `"2.1`: false, `2.1`: false, ``: false, `"x"`: false,
		`"2.01"`: false,
		`"1.1"`:  false, `"2"`: false, `"2.1-x"`: false, `"2.99999999999999999999"`: false, `"2.+1"`: false,
		`"2.1" x`: false,
	} {
		for name, c := range map[string]call{
			"approve": approve(a.loaded(t, shipments.ReadyForReview)),
			"reject":  reject(a.loaded(t, shipments.ReadyForReview)),
			"update":  update(a.loaded(t, shipments.Pending)),
			"delete":  remove(a.loaded(t, shipments.Pending)),
		} {
			res := a.do(t, c.with("If-Match", value))
			if met && res.status >= http.StatusBadRequest {
				t.Errorf("%s, If-Match %s: status %d", name, value, res.status)
			}
			if !met {
				res.wants(t, http.StatusPreconditionFailed, "etag_mismatch")
			}
		}
	}
}

// TestIfNoneMatchRestrictsActions to other versions than those that it names.
func TestIfNoneMatchRestrictsActions(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	for _, known := range []string{`*`, `"2.1"`, `W/"2.1"`, `"x", "2.1"`} {
		a.do(t, update(path).with("If-None-Match", known)).wants(t, http.StatusPreconditionFailed, "etag_mismatch")
	}
	a.do(t, update(path).with("If-None-Match", `"2.0"`)).wants(t, http.StatusOK, "")
}

// TestConcurrentUpdateIsRejected: the second of two who saw the
// same version loses nothing of the first.
func TestConcurrentUpdateIsRejected(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	tag := a.do(t, call{path: path}).header.Get("ETag")
	first := a.do(t, update(path).with("If-Match", tag))
	first.wants(t, http.StatusOK, "")
	second := call{method: http.MethodPatch, path: path, body: `{"shipment":{"vessel":"other"}}`}
	a.do(t, second.with("If-Match", tag)).wants(t, http.StatusPreconditionFailed, "etag_mismatch")
	a.do(t, second.with("If-Match", first.header.Get("ETag"))).wants(t, http.StatusOK, "")
	// The status comes after the version: what he wants may have been done.
	ready := a.loaded(t, shipments.Rejected)
	a.do(t, reject(ready).with("If-Match", `"2.9"`)).wants(t, http.StatusPreconditionFailed, "etag_mismatch")
}
