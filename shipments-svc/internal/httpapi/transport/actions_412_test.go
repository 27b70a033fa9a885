package transport_test

import (
	"net/http"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestIfMatchRestrictsActions to the version that it names: the second of two who saw the same one loses nothing of the
// first.
func TestIfMatchRestrictsActions(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for value, met := range map[string]bool{
		`"3.1"`: true, `*`: true, `"3.1-gzip"`: true, `"3.2"`: false, `W/"3.1"`: false, ``: false, `"1.1"`: false,
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
	for _, known := range []string{`*`, `"3.1"`, `W/"3.1"`, `"x", "3.1"`} {
		a.do(t, update(path).with("If-None-Match", known)).wants(t, http.StatusPreconditionFailed, "etag_mismatch")
	}
	a.do(t, update(path).with("If-None-Match", `"3.0"`)).wants(t, http.StatusOK, "")
}
