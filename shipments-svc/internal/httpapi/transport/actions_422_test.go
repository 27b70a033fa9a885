package transport_test

import (
	"net/http"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func TestActionFaultsHavePointers(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := a.loaded(t, shipments.ReadyForReview)
	for _, c := range []struct {
		method, path, body, code, first string
	}{
		{http.MethodPost, "/reject", "", "validation_failed", "required /reason"},
		{http.MethodPost, "/reject", `{"reason":1}`, "validation_failed", "invalid_type /reason"},
		{http.MethodPost, "/reject", `{"reason":"a\nb"}`, "validation_failed", "invalid_text /reason"},
		{http.MethodPost, "/reject", `{"reason":"r","why":"w"}`, "unknown_field", "unknown_field /why"},
		{http.MethodPost, "/approve", `{"override_reason":""}`, "validation_failed", "required /override_reason"},
		{http.MethodPost, "/approve", `{"override_reason":null}`, "validation_failed", "invalid_type /override_reason"},
		{http.MethodPost, "/approve", `{"reason":"r"}`, "unknown_field", "unknown_field /reason"},
		{http.MethodPatch, "", `{}`, "validation_failed", "required /shipment"},
		{http.MethodPatch, "", `{"shipment":{"vessel":null}}`, "validation_failed", "invalid_type /shipment/vessel"},
		{http.MethodPatch, "", `{"shipment":{"vessel":""}}`, "validation_failed", "required /shipment/vessel"},
		{http.MethodPatch, "", `{"shipment":{"status":"approved"}}`, "unknown_field", "unknown_field /shipment/status"},
	} {
		p := a.do(t, call{method: c.method, path: path + c.path, body: c.body}).
			wants(t, http.StatusUnprocessableEntity, c.code)
		if got := p.Errors[0].Code + " " + p.Errors[0].Pointer; got != c.first || len(p.Errors) != 1 {
			t.Errorf("%s %s: %+v, want %s", c.path, c.body, p.Errors, c.first)
		}
	}
	if tag := a.do(t, call{path: path}).header.Get("ETag"); tag != `"3.1"` {
		t.Errorf("the shipment was changed, ETag %s", tag)
	}
}

func TestActionsTakeTheirMediaTypesOnly(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := a.loaded(t, shipments.ReadyForReview)
	for name, c := range map[string]call{
		"a merge patch that rejects": reject(path).with("Content-Type", "application/merge-patch+json"),
		"a text that updates":        update(path).with("Content-Type", "text/plain"),
		"a JSON patch":               update(path).with("Content-Type", "application/json-patch+json"),
		"a form that approves": {
			method: http.MethodPost, path: path + "/approve", body: "x=1",
			header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
		},
	} {
		if res := a.do(t, c); res.status != http.StatusUnsupportedMediaType {
			t.Errorf("%s: status %d", name, res.status)
		}
	}
	a.do(t, call{method: http.MethodPost, path: path + "/reject"}).
		wants(t, http.StatusUnprocessableEntity, "validation_failed")
	a.do(t, update(path+"?x=1")).wants(t, http.StatusBadRequest, "unknown_parameter")
}
