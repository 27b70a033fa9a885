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
		"another":             {http.Header{"If-None-Match": {`"3.2"`}}, 200},
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
		{"If-Match": {`"3.2"`}},
		{"If-Match": {`W/"3.1"`}},
		{"If-Match": {""}},
		{"If-Match": {`"3.2"`}, "If-None-Match": {`"3.1"`}},
	} {
		a.do(t, call{path: path, header: header}).wants(t, http.StatusPreconditionFailed, "etag_mismatch")
		if head := a.do(t, call{
			method: http.MethodHead, path: path,
			header: header,
		}); head.status != http.StatusPreconditionFailed {
			t.Errorf("HEAD, %v: status %d", header, head.status)
		}
	}
	a.do(t, call{path: nothing}.with("If-Match", `"3.1"`)).wants(t, http.StatusNotFound, "not_found")
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

// TestARepresentationHasATagOfItsOwn: what a token may not see, or was not begun, must not hide what it sees later.
// An action may name any of a version.
func TestARepresentationHasATagOfItsOwn(t *testing.T) {
	t.Parallel()
	created := newAPI(t)
	path := collection + "/" + created.create(t)
	seen := map[string]bool{}
	for _, status := range []shipments.DocumentStatus{shipments.Queued, shipments.BeingRead} {
		for _, permissions := range []string{"shipments:read", "shipments:read documents:read"} {
			detail := shipments.Detail{Shipment: newShipment(shipments.Processing, noon), Documents: []shipments.Document{
				{Type: shipments.PackingList, Status: status, CreatedAt: noon},
			}}
			detail.Version = 1
			a := newAPIOf(t, fakeService(fakeRepository{detail: &detail}), nil)
			get := call{path: collection + "/ship_00000000000000000000000001", permissions: &permissions}
			tag := a.do(t, get).header.Get("ETag")
			seen[tag] = true
			a.do(t, get.with("If-None-Match", tag)).wants(t, http.StatusNotModified, "")
			created.do(t, call{method: http.MethodPatch, path: path, body: `{"shipment":{}}`}.with("If-Match", tag)).
				wants(t, http.StatusOK, "")
		}
	}
	if len(seen) != 4 {
		t.Errorf("the tags are %v", seen)
	}
}

// TestADocumentHasATagOfItsOwn, by which or by that of its shipment an action may be restricted.
func TestADocumentHasATagOfItsOwn(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	attached := a.do(t, call{method: http.MethodPost, path: path + "/documents", body: list})
	document, tag := attached.header.Get("Location"), attached.header.Get("ETag")
	got := a.do(t, call{path: document})
	if got.header.Get("ETag") != tag || tag == "" {
		t.Errorf("%q, then %q", tag, got.header.Get("ETag"))
	}
	a.do(t, call{path: document}.with("If-None-Match", tag)).wants(t, http.StatusNotModified, "")
	a.do(t, remove(document).with("If-Match", `"3.1"`)).wants(t, http.StatusPreconditionFailed, "etag_mismatch")
	a.do(t, remove(document).with("If-Match", tag)).wants(t, http.StatusNoContent, "")
}
