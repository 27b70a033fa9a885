package transport_test

import (
	"net/http"
	"testing"
)

// TestADownloadThatWasCutGoesOn where it ended, if the file is the same.
func TestADownloadThatWasCutGoesOn(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	content := a.do(t, file(path, "other", "n.txt", "0123456789")).header.Get("Location") + "/content"
	tag := a.do(t, call{path: content}).header.Get("ETag")
	for name, c := range map[string]struct {
		header http.Header
		status int
		body   string
	}{
		"the rest":     {http.Header{"Range": {"bytes=4-"}, "If-Range": {tag}}, 206, "456789"},
		"a part":       {http.Header{"Range": {"bytes=4-5"}}, 206, "45"},
		"another file": {http.Header{"Range": {"bytes=4-"}, "If-Range": {`"x"`}}, 200, "0123456789"},
	} {
		if res := a.do(t, call{path: content, header: c.header}); res.status != c.status || string(res.body) != c.body {
			t.Errorf("%s: %d %q", name, res.status, res.body)
		}
	}
	beyond := a.do(t, call{path: content}.with("Range", "bytes=10-"))
	if beyond.wants(t, http.StatusRequestedRangeNotSatisfiable, "range_not_satisfiable"); beyond.header.Get(
		"Content-Range") != "bytes */10" {
		t.Errorf("%v", beyond.header)
	}
}
