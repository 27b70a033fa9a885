package transport_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestDocumentsAboutTheAPIAreAnybodys: they need no identity.
func TestDocumentsAboutTheAPIAreAnybodys(t *testing.T) {
	t.Parallel()
	a := newAPIOf(t, emptyService{}, noWebhooks{})
	anybody := http.Header{"X-Organization-ID": nil, "X-Token-ID": nil, "X-Token-Permissions": nil}
	for path, want := range map[string]string{
		"/api/v1/openapi.json":           `"openapi":"3.1.0"`,
		"/problems":                      `href="/problems/validation_failed"`,
		"/problems/validation_failed":    "<h1>Validation failed</h1>",
		"/problems/upstream_unreachable": "<code>upstream_unreachable</code>, status 502 Bad Gateway",
	} {
		res := a.do(t, call{path: path, header: anybody})
		if res.status != http.StatusOK || !strings.Contains(string(res.body), want) {
			t.Errorf("%s: %d, without %s", path, res.status, want)
		}
	}
	description := call{path: "/api/v1/openapi.json", header: anybody}
	res := a.do(t, description)
	if !json.Valid(res.body) || res.header.Get("Cache-Control") != "public, max-age=300" || res.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("the description is %.20q with %v", res.body, res.header)
	}
	if again := a.do(t, description.with("If-None-Match", res.header.Get("ETag"))); again.status != http.StatusNotModified || len(again.body) > 0 {
		t.Errorf("the description of a known ETag: %d", again.status)
	}
}

// TestARequestHasOneIDInItsProblemAndLog: the gateway's, or where there is no
// good one, its own.
func TestARequestHasOneIDInItsProblemAndLog(t *testing.T) {
	t.Parallel()
	a := newAPIOf(t, emptyService{}, noWebhooks{})
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
