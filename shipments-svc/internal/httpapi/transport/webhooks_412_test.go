package transport_test

import (
	"net/http"
	"testing"
)

// TestAnEndpointOfAnotherFormIsNotChanged: of two who saw the same one, the second loses nothing of the first.
func TestAnEndpointOfAnotherFormIsNotChanged(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := hooksPath + "/" + a.hook(t).ID
	tag := a.do(t, call{path: path}).header.Get("ETag")
	edit := call{method: http.MethodPatch, path: path, body: `{"webhook_endpoint":{"description":"first"}}`}
	first := a.do(t, edit.with("If-Match", tag))
	first.wants(t, http.StatusOK, "")
	a.do(t, edit.with("If-Match", tag)).wants(t, http.StatusPreconditionFailed, "etag_mismatch")
	a.do(t, edit.with("If-Match", first.header.Get("ETag"))).wants(t, http.StatusOK, "")
	now := a.do(t, edit).header.Get("ETag")
	for _, other := range []call{
		remove(path),
		{method: http.MethodPost, path: path + "/rotate_secret"},
		{method: http.MethodPost, path: path + "/test"},
		{method: http.MethodPost, path: path + "/replay", body: `{"after":0}`},
	} {
		a.do(t, other.with("If-Match", tag)).wants(t, http.StatusPreconditionFailed, "etag_mismatch")
	}
	a.do(t, remove(path).with("If-Match", now)).wants(t, http.StatusNoContent, "")
}
