package transport_test

import (
	"net/http"
	"testing"
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
