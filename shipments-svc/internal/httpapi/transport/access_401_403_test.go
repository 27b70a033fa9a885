package transport_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
)

// operations are calls of every route that needs an identity, with the permission
// that the authorization table names.
var operations = withPermissions([]call{
	{method: http.MethodGet, path: collection},
	{method: http.MethodHead, path: collection},
	{method: http.MethodPost, path: collection, body: valid},
	{method: http.MethodGet, path: nothing},
	{method: http.MethodPatch, path: nothing, body: `{"shipment":{"vessel":"v"}}`},
	{method: http.MethodDelete, path: nothing},
	{method: http.MethodPost, path: nothing + "/approve"},
	{method: http.MethodPost, path: nothing + "/reject", body: `{"reason":"r"}`},
	{method: http.MethodGet, path: nothing + "/history"},
	{method: http.MethodGet, path: eventsPath},
	{method: http.MethodGet, path: hooksPath},
	{method: http.MethodPost, path: hooksPath, body: hook},
	{method: http.MethodGet, path: noHook},
	{method: http.MethodPatch, path: noHook, body: `{"webhook_endpoint":{}}`},
	{method: http.MethodDelete, path: noHook},
	{method: http.MethodPost, path: noHook + "/rotate_secret"},
	{method: http.MethodPost, path: noHook + "/test"},
	{method: http.MethodPost, path: noHook + "/replay", body: `{"after":0}`},
	{method: http.MethodGet, path: noHook + "/deliveries"},
	{method: http.MethodPost, path: nothing + "/documents", body: list},
	{method: http.MethodGet, path: nothing + "/documents"},
	{method: http.MethodGet, path: nothing + noDocument},
	{method: http.MethodDelete, path: nothing + noDocument},
	{method: http.MethodGet, path: nothing + noDocument + "/content"},
	{method: http.MethodPost, path: nothing + noDocument + "/reprocess"},
	{method: http.MethodPut, path: nothing + noDocument + "/mapping", body: `{"mappings":[]}`},
	{method: http.MethodGet, path: templatesPath},
	{method: http.MethodPatch, path: noTemplate, body: `{"mapping_template":{}}`},
	{method: http.MethodDelete, path: noTemplate},
})

type operation struct {
	call
	needs string
}

func withPermissions(calls []call) []operation {
	all := make([]operation, len(calls))
	for i, c := range calls {
		all[i] = operation{c, string(transport.Access[pattern(c)])}
	}
	return all
}

// pattern returns the route of a call.
func pattern(c call) string {
	return strings.Replace(c.method, http.MethodHead, http.MethodGet, 1) + " " + strings.NewReplacer(
		nothing,
		collection+"/{id}",
		noHook,
		hooksPath+"/{id}",
		noTemplate,
		templatesPath+"/{id}",
		"/doc_00000000000000000000000000",
		"/{document}",
	).Replace(c.path)
}

// A shipment and a document that do not exist.
const (
	nothing    = collection + "/ship_00000000000000000000000000"
	noDocument = "/documents/doc_00000000000000000000000000"
)

// TestTheAuthorizationTableIsTheDescribedOne: openapi.yaml and the
// tests below have its routes and permissions.
func TestTheAuthorizationTableIsTheDescribedOne(t *testing.T) {
	t.Parallel()
	specified := map[string]transport.Permission{}
	for path, item := range document(t).Paths.Map() {
		for method, op := range item.Operations() {
			if public := op.Security != nil && len(*op.Security) == 0; public != (op.Extensions["x-permission"] == "none") {
				t.Errorf("%s %s: x-permission and security differ", method, path)
			} else if !public {
				specified[method+" "+path] = transport.Permission(fmt.Sprint(op.Extensions["x-permission"]))
			}
		}
	}
	if diff := cmp.Diff(transport.Access, specified); diff != "" {
		t.Errorf("openapi.yaml (-table +described)\n%s", diff)
	}
}

// TestIdentityIsRequired: whatever else is wrong or right with a
// request, one that did not come through the gateway is refused.
func TestIdentityIsRequired(t *testing.T) {
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
			"nothing but a token": {
				"X-Organization-ID": nil, "X-Token-ID": nil, "X-Token-Permissions": nil,
				"Authorization": {"Bearer x"},
			},
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
	broken := call{
		method: http.MethodPost,
		path:   "?x=1",
		body:   "{",
		header: http.Header{"X-Organization-ID": nil, "Content-Type": nil},
	}
	a.do(t, broken).wants(t, http.StatusUnauthorized, "missing_identity")
}

func TestEveryPermissionButTheNeededOneIsNotEnough(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	all := []string{
		"shipments:read",
		"shipments:write",
		"shipments:review",
		"documents:read",
		"documents:write",
		"webhooks:manage",
		"shipments:*",
		"SHIPMENTS:WRITE",
	}
	for _, op := range operations {
		var others []string
		for _, p := range all {
			if p != op.needs {
				others = append(others, p)
			}
		}
		person := http.Header{"X-Token-ID": nil, "X-User-ID": {publicid.New("usr")}}
		for _, held := range []string{strings.Join(others, " "), ""} {
			c := op.call
			c.permissions, c.header = &held, person
			if res := a.do(t, c); res.status != http.StatusForbidden {
				t.Errorf("%s %s of a person with %q: status %d", op.method, op.path, held, res.status)
			}
			c.header = nil
			res := a.do(t, c)
			if want := `Bearer realm="shipments", error="insufficient_scope", scope="` + op.needs +
				`"`; res.status != http.StatusForbidden ||
				res.header.Get("WWW-Authenticate") != want {
				t.Errorf(
					"%s %s with %q: status %d, WWW-Authenticate %s", op.method, op.path, held, res.status,
					res.header.Get("WWW-Authenticate"),
				)
			}
			if op.method == http.MethodHead {
				continue
			}
			shown := held
			if held == "" {
				shown = "no permission"
			}
			p := res.wants(t, http.StatusForbidden, "insufficient_permission")
			if want := "This needs " + op.needs + "; the token has " + shown + "."; p.Detail != want {
				t.Errorf("detail %q, want %q", p.Detail, want)
			}
		}
		c := op.call
		c.permissions = new(op.needs)
		if res := a.do(t, c); res.status == http.StatusForbidden {
			t.Errorf("%s %s is refused with %s", op.method, op.path, op.needs)
		}
		c.header = person
		if res := a.do(t, c); res.status == http.StatusForbidden || res.status == http.StatusUnauthorized {
			t.Errorf("%s %s of a person is refused with %s", op.method, op.path, op.needs)
		}
	}
}

// TestThePermissionComesBeforeTheRequest: without it the response does not reveal what is
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
