package transport_test

import (
	"net/http"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func TestGetWithTheCurrentETagReturns304(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	tag := a.do(t, call{path: path}).header.Get("ETag")
	for name, c := range map[string]struct {
		header http.Header
		status int
	}{
		"the tag":             {http.Header{"If-None-Match": {tag}}, 304},
		"on another line":     {http.Header{"If-None-Match": {`"x"`, tag}}, 304},
		"another":             {http.Header{"If-None-Match": {`"2.2"`}}, 200},
		"expected, and known": {http.Header{"If-Match": {tag}, "If-None-Match": {tag}}, 304},
		"expected":            {http.Header{"If-Match": {tag}}, 200},
		"changed since": {http.Header{
			"If-Modified-Since":   {"Fri, 01 Jan 2100 00:00:00 GMT"},
			"If-Unmodified-Since": {"Sun, 06 Nov 1994 08:49:37 GMT"},
		}, 200},
	} {
		res := a.do(t, call{path: path, header: c.header})
		if res.status != c.status || res.header.Get("ETag") != tag {
			t.Errorf("%s: status %d, ETag %s, want %d, %s", name, res.status, res.header.Get("ETag"), c.status, tag)
		}
		if c.status == http.StatusNotModified && (len(res.body) > 0 || res.header.Get("Content-Type") != "") {
			t.Errorf("%s: 304 has a body", name)
		}
	}
	head := a.do(t, call{method: http.MethodHead, path: path, header: http.Header{"If-None-Match": {tag}}})
	head.wants(t, http.StatusNotModified, "")
}

// TestGetOfAnotherVersionThanIfMatchNamesReturns412, also where it is known.
func TestGetOfAnotherVersionThanIfMatchNamesReturns412(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	for _, header := range []http.Header{
		{"If-Match": {`"2.2"`}},
		{"If-Match": {`W/"2.1"`}},
		{"If-Match": {""}},
		{"If-Match": {`"2.2"`}, "If-None-Match": {`"2.1"`}},
	} {
		a.do(t, call{path: path, header: header}).wants(t, http.StatusPreconditionFailed, "etag_mismatch")
		if head := a.do(t, call{
			method: http.MethodHead, path: path,
			header: header,
		}); head.status != http.StatusPreconditionFailed {
			t.Errorf("HEAD, %v: status %d", header, head.status)
		}
	}
	a.do(t, call{path: nothing}.with("If-Match", `"2.1"`)).wants(t, http.StatusNotFound, "not_found")
}

// TestAnotherVersionHasAnotherTag, so that a change is always seen.
func TestAnotherVersionHasAnotherTag(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for version := range int64(3) {
		detail := shipments.Detail{Shipment: newShipment(shipments.Pending, noon)}
		detail.Version = version
		a := newAPIOf(t, fakeService(fakeRepository{detail: &detail}), nil)
		seen[a.do(t, call{path: collection + "/ship_00000000000000000000000001"}).header.Get("ETag")] = true
	}
	if len(seen) != 3 || seen[""] {
		t.Errorf("the tags are %v", seen)
	}
}
