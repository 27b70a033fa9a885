package transport_test

import (
	"net/http"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
)

func TestDisabledEndpointsGetNoDeliveries(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	one := hooksPath + "/" + a.hook(t).ID
	a.endpoint(
		t, call{method: http.MethodPatch, path: one, body: `{"webhook_endpoint":{"status":"disabled"}}`}, http.StatusOK,
	)
	a.do(t, call{method: http.MethodPost, path: one + "/test"}).wants(t, http.StatusConflict, "webhook_endpoint_disabled")
	a.do(t, call{method: http.MethodPost, path: one + "/replay", body: `{"after":0}`}).
		wants(t, http.StatusConflict, "webhook_endpoint_disabled")
}

func TestTheTwentyFirstEndpointIsRefused(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for range 20 {
		a.hook(t)
	}
	a.do(t, call{method: http.MethodPost, path: hooksPath, body: hook}).
		wants(t, http.StatusConflict, "too_many_webhook_endpoints")
	a.as(publicid.New("org")).hook(t)
}
