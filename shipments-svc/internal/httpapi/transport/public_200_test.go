package transport_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func TestTheOpenAPIDocumentNeedsNoIdentity(t *testing.T) {
	t.Parallel()
	a := newAPIOf(t, fakeService(fakeRepository{}), nil)
	anybody := http.Header{"X-Organization-ID": nil, "X-Token-ID": nil, "X-Token-Permissions": nil}
	description := call{path: "/api/v1/openapi.json", header: anybody}
	res := a.do(t, description)
	if res.status != http.StatusOK || !json.Valid(res.body) || !strings.Contains(string(res.body), `"openapi":"3.1.0"`) ||
		res.header.Get("Cache-Control") != "public, max-age=300" ||
		res.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("the description is %.20q with %v", res.body, res.header)
	}
	if again := a.do(t, description.with("If-None-Match",
		res.header.Get("ETag"))); again.status != http.StatusNotModified ||
		len(again.body) > 0 {
		t.Errorf("the description of a known ETag: %d", again.status)
	}
}

// TestARequestHasOneIDInItsProblemAndLog: the gateway's, or where there is no
// good one, its own.
func TestARequestHasOneIDInItsProblemAndLog(t *testing.T) {
	t.Parallel()
	a := newAPIOf(t, fakeService(fakeRepository{}), nil)
	const given = "req_01k9x3v7t2e8sbq4m6n0pacdfh"
	for _, c := range []struct {
		header []string
		kept   bool
	}{
		{[]string{given}, true},
		{nil, false},
		{[]string{""}, false},
		{[]string{"req_1"}, false},
		{[]string{strings.ToUpper(given)}, false},
		{[]string{"<script>"}, false},
	} {
		for _, path := range []string{collection + "?x=1", "/nothing"} {
			p := problemOf(t, a.do(t, call{path: path, header: http.Header{"X-Request-ID": c.header}}))
			if (p == given) != c.kept || len(p) != len(given) || !strings.Contains(a.log.String(), p) {
				t.Errorf("%v: request_id %s", c.header, p)
			}
		}
	}
}

func problemOf(t *testing.T, res answer) string {
	t.Helper()
	var p struct {
		RequestID string `json:"request_id"`
	}
	if err := json.Unmarshal(res.body, &p); err != nil {
		t.Fatal(err)
	}
	return p.RequestID
}
