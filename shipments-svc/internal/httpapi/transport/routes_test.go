package transport_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func TestTheOpenAPIDocumentNeedsNoIdentity(t *testing.T) {
	t.Parallel()
	a := newAPIOf(t, fakeService(fakeRepository{}))
	anybody := http.Header{"X-Organization-ID": nil, "X-Token-ID": nil, "X-Token-Permissions": nil}
	description := call{path: "/api/v1/openapi.json", header: anybody}
	res := a.do(t, description)
	if res.status != http.StatusOK || !json.Valid(res.body) || !strings.Contains(string(res.body), `"openapi":"3.1.0"`) ||
		res.header.Get("Cache-Control") != "public, max-age=300" ||
		res.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("the description is %.20q with %v", res.body, res.header)
	}
	again := a.do(t, description.with("If-None-Match", res.header.Get("ETag")))
	if again.status != http.StatusNotModified || len(again.body) > 0 {
		t.Errorf("the description of a known ETag: %d", again.status)
	}
}

// TestARequestHasOneIDInItsProblemAndLog: the gateway's, or where there is no
// good one, its own.
func TestARequestHasOneIDInItsProblemAndLog(t *testing.T) {
	t.Parallel()
	a := newAPIOf(t, fakeService(fakeRepository{}))
	const given = "req_01k9x3v7t2e8sbq4m6n0pacdfh"
	for _, sent := range []string{given, "<script>"} {
		for path, code := range map[string]string{"?x=1": "unknown_parameter", "/nothing": "not_found"} {
			res := a.do(t, call{path: path, header: http.Header{"X-Request-ID": {sent}}})
			id := res.problem(t, res.status, code).RequestID
			if (id == given) != (sent == given) || len(id) != len(given) || !strings.Contains(a.log.String(), id) {
				t.Errorf("%v: request_id %s", sent, id)
			}
		}
	}
}

func TestOtherMethodsAreRefusedWithThoseThatExist(t *testing.T) {
	t.Parallel()
	a := newAPIOf(t, fakeService(fakeRepository{}))
	for path, allow := range map[string]string{
		collection: "GET, HEAD, POST", collection + "/ship_x": "DELETE, GET, HEAD, PATCH",
		collection + "/ship_x/approve": "POST", "/api/v1/openapi.json": "GET, HEAD",
	} {
		for _, method := range []string{http.MethodPut, http.MethodOptions, "QUERY"} {
			res := a.do(t, call{method: method, path: path, body: valid})
			res.wants(t, http.StatusMethodNotAllowed, "method_not_allowed")
			if got := res.header.Get("Allow"); got != allow {
				t.Errorf("%s %s: Allow is %q, want %q", method, path, got, allow)
			}
		}
	}
}
