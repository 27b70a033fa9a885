package transport_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/publicid"
)

// operations are the routes that need an identity, with the permission that
// each needs. TestEveryDescribedOperationIsHere compares them with x-permission
// of the description; the tests after it compare them with what is done.
var operations = []struct {
	call
	needs string
}{
	{call{method: http.MethodGet, path: collection}, "shipments:read"},
	{call{method: http.MethodHead, path: collection}, "shipments:read"},
	{call{method: http.MethodPost, path: collection, body: valid}, "shipments:write"},
	{call{method: http.MethodGet, path: nothing}, "shipments:read"},
	{call{method: http.MethodPatch, path: nothing, body: `{"shipment":{"vessel":"v"}}`}, "shipments:write"},
	{call{method: http.MethodDelete, path: nothing}, "shipments:write"},
	{call{method: http.MethodPost, path: nothing + "/approve"}, "shipments:review"},
	{call{method: http.MethodPost, path: nothing + "/reject", body: `{"reason":"r"}`}, "shipments:review"},
	{call{method: http.MethodGet, path: nothing + "/history"}, "shipments:read"},
	{call{method: http.MethodGet, path: eventsPath}, "shipments:read"},
	{call{method: http.MethodGet, path: hooksPath}, "webhooks:manage"},
	{call{method: http.MethodPost, path: hooksPath, body: hook}, "webhooks:manage"},
	{call{method: http.MethodGet, path: noHook}, "webhooks:manage"},
	{call{method: http.MethodPatch, path: noHook, body: `{"webhook_endpoint":{}}`}, "webhooks:manage"},
	{call{method: http.MethodDelete, path: noHook}, "webhooks:manage"},
	{call{method: http.MethodPost, path: noHook + "/rotate_secret"}, "webhooks:manage"},
	{call{method: http.MethodPost, path: noHook + "/test"}, "webhooks:manage"},
	{call{method: http.MethodPost, path: noHook + "/replay", body: `{"after":0}`}, "webhooks:manage"},
	{call{method: http.MethodGet, path: noHook + "/deliveries"}, "webhooks:manage"},
	{call{method: http.MethodPost, path: nothing + "/documents", body: list}, "documents:write"},
	{call{method: http.MethodGet, path: nothing + "/documents"}, "documents:read"},
	{call{method: http.MethodGet, path: nothing + noDocument}, "documents:read"},
	{call{method: http.MethodDelete, path: nothing + noDocument}, "documents:write"},
	{call{method: http.MethodGet, path: nothing + noDocument + "/content"}, "documents:read"},
	{call{method: http.MethodPost, path: nothing + noDocument + "/reprocess"}, "documents:write"},
}

// A shipment and a document that nobody has.
const (
	nothing    = collection + "/ship_00000000000000000000000000"
	noDocument = "/documents/doc_00000000000000000000000000"
)

func TestEveryDescribedOperationIsHere(t *testing.T) {
	t.Parallel()
	needs := map[string]string{}
	for _, op := range operations {
		needs[op.method+" "+strings.NewReplacer(nothing, collection+"/{id}", noHook, hooksPath+"/{id}", "/doc_00000000000000000000000000", "/{document}").Replace(op.path)] = op.needs
	}
	for path, item := range document(t).Paths.Map() {
		for method, op := range item.Operations() {
			want := needs[method+" "+path]
			if public := op.Security != nil && len(*op.Security) == 0; public {
				want = "none"
			}
			if got := op.Extensions["x-permission"]; got != want {
				t.Errorf("%s %s is described as needing %v, and is %q among the operations", method, path, got, want)
			}
		}
	}
}

// TestWithoutAnIdentityNothingIsDone: whatever else is wrong or right with a
// request, one that did not come through the gateway is refused.
func TestWithoutAnIdentityNothingIsDone(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	other := publicid.New("org")
	for _, op := range operations {
		for name, header := range map[string]http.Header{
			"no organization":        {"X-Organization-ID": nil},
			"empty organization":     {"X-Organization-ID": {""}},
			"malformed organization": {"X-Organization-ID": {"org_1"}},
			"another kind of id":     {"X-Organization-ID": {publicid.New("ship")}},
			"two organizations":      {"X-Organization-ID": {a.org, other}},
			"a list":                 {"X-Organization-ID": {a.org + ", " + other}},
			"upper case":             {"X-Organization-ID": {strings.ToUpper(a.org)}},
			"no token":               {"X-Token-ID": nil},
			"malformed token":        {"X-Token-ID": {"4fZyo82mVyR1"}},
			"no permissions":         {"X-Token-Permissions": nil},
			"nothing but a token":    {"X-Organization-ID": nil, "X-Token-ID": nil, "X-Token-Permissions": nil, "Authorization": {"Bearer x"}},
		} {
			c := op.call
			c.header = header
			res := a.do(t, c)
			if res.status != http.StatusUnauthorized || res.header.Get("WWW-Authenticate") != `Bearer realm="shipments"` ||
				res.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s %s, %s: status %d, %v", op.method, op.path, name, res.status, res.header)
			}
			if op.method != http.MethodHead {
				res.wants(t, http.StatusUnauthorized, "missing_identity")
			}
		}
	}
	if n := a.total(t); n != 0 {
		t.Errorf("%d shipments were stored", n)
	}
	broken := call{method: http.MethodPost, path: "?x=1", body: "{", header: http.Header{"X-Organization-ID": nil, "Content-Type": nil}}
	a.do(t, broken).wants(t, http.StatusUnauthorized, "missing_identity")
}

// TestEveryPermissionButTheNeededOneIsNotEnough.
func TestEveryPermissionButTheNeededOneIsNotEnough(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	all := []string{"shipments:read", "shipments:write", "shipments:review", "documents:read", "documents:write", "webhooks:manage", "shipments:*", "SHIPMENTS:WRITE"}
	for _, op := range operations {
		var others []string
		for _, p := range all {
			if p != op.needs {
				others = append(others, p)
			}
		}
		for _, held := range []string{strings.Join(others, " "), ""} {
			c := op.call
			c.permissions = &held
			res := a.do(t, c)
			if want := `Bearer realm="shipments", error="insufficient_scope", scope="` + op.needs + `"`; res.status != http.StatusForbidden ||
				res.header.Get("WWW-Authenticate") != want {
				t.Errorf("%s %s with %q: status %d, WWW-Authenticate %s", op.method, op.path, held, res.status, res.header.Get("WWW-Authenticate"))
			}
			if op.method == http.MethodHead {
				continue
			}
			shown := held
			if held == "" {
				shown = "no permission"
			}
			p := res.wants(t, http.StatusForbidden, "insufficient_permission")
			if want := "this needs " + op.needs + "; the token has " + shown; p.Detail != want {
				t.Errorf("detail %q, want %q", p.Detail, want)
			}
		}
		c := op.call
		c.permissions = new(op.needs)
		if res := a.do(t, c); res.status == http.StatusForbidden {
			t.Errorf("%s %s is refused with %s", op.method, op.path, op.needs)
		}
	}
}

// TestThePermissionComesBeforeTheRequest: who may not ask is not told what is
// wrong with his question, and his body is not read.
func TestThePermissionComesBeforeTheRequest(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	read := "shipments:read"
	for name, c := range map[string]call{
		"malformed":         {body: "{"},
		"invalid":           {body: `{"shipment":{}}`},
		"too large":         {body: strings.Repeat("x", 2<<20)},
		"another type":      {body: valid, header: http.Header{"Content-Type": {"text/plain"}}},
		"unknown parameter": {body: valid, path: "?x=1"},
	} {
		c.method, c.permissions = http.MethodPost, &read
		if res := a.do(t, c); res.status != http.StatusForbidden {
			t.Errorf("%s: status %d", name, res.status)
		}
	}
	if n := a.total(t); n != 0 {
		t.Errorf("%d shipments were stored", n)
	}
}
