package transport_test

import (
	"net/http"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
)

// TestAnotherOrganizationsEndpointIsUnknown, whatever is done with it.
func TestAnotherOrganizationsEndpointIsUnknown(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	one := hooksPath + "/" + a.hook(t).ID
	theirs := a.as(publicid.New("org"))
	for _, path := range []string{one, noHook, hooksPath + "/we_1", hooksPath + "/ship_00000000000000000000000000"} {
		for _, c := range []call{
			{path: path},
			{method: http.MethodPatch, path: path, body: `{"webhook_endpoint":{"status":"disabled"}}`},
			{method: http.MethodDelete, path: path},
			{method: http.MethodPost, path: path + "/rotate_secret"},
			{method: http.MethodPost, path: path + "/test"},
			{method: http.MethodPost, path: path + "/replay", body: `{"after":0}`},
			{path: path + "/deliveries"},
		} {
			if p := theirs.do(t, c).wants(t, http.StatusNotFound, "not_found"); p.Detail != "There is no such webhook "+
				"endpoint." {
				t.Errorf("%s %s: %s", c.method, c.path, p.Detail)
			}
		}
	}
	if e := a.endpoint(t, call{path: one}, http.StatusOK); e.Status != "enabled" {
		t.Errorf("%+v", e)
	}
}
