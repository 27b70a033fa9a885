package transport_test

import (
	"net/http"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func TestDeleteRemovesAPendingShipmentWithItsHistory(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	res := a.do(t, remove(path))
	if res.wants(t, http.StatusNoContent, ""); len(res.body) > 0 || res.header.Get("Content-Type") != "" {
		t.Errorf("%s, %v", res.body, res.header)
	}
	for _, c := range []call{
		{path: path},
		{path: path + "/history"},
		remove(path), update(path), approve(path),
		reject(path),
	} {
		a.do(t, c).wants(t, http.StatusNotFound, "not_found")
	}
}

// TestActionsReachTheOwnOrganizationOnly: to everyone else the shipment does
// not exist, whatever its status.
func TestActionsReachTheOwnOrganizationOnly(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	stranger := a.as(publicid.New("org"))
	for _, status := range shipments.Statuses {
		path := a.loaded(t, status)
		for _, c := range []call{
			{path: path + "/history"},
			remove(path), update(path), approve(path), reject(path),
			approve(path).with("If-Match", `"2.9"`),
		} {
			p := stranger.do(t, c).wants(t, http.StatusNotFound, "not_found")
			if p.Detail != "There is no such shipment." {
				t.Errorf("%s: %s", c.method, p.Detail)
			}
		}
		if tag := a.do(t, call{path: path}).header.Get("ETag"); tag != `"2.1"` {
			t.Errorf("%s: the shipment was changed, ETag %s", status, tag)
		}
	}
}
