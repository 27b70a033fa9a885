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

// operation is a call of a route, with the permission that the authorization table names.
type operation struct {
	call
	needs string
}

func operations() []operation {
	all := []operation{{call{method: http.MethodHead, path: collection}, string(transport.ReadShipments)}}
	for pattern, needs := range transport.Access {
		method, path, _ := strings.Cut(pattern, " ")
		c := call{method: method, path: filled(path)}
		if method != http.MethodGet && method != http.MethodDelete {
			c.body = "{}"
		}
		all = append(all, operation{c, string(needs)})
	}
	return all
}

// filled returns a path with identifiers of things that do not exist.
func filled(path string) string {
	return strings.NewReplacer(collection+"/{id}", nothing, "/{document}", strings.TrimPrefix(noDocument, "/documents"),
		hooksPath+"/{id}", noHook, templatesPath+"/{id}", noTemplate).
		Replace(path)
}

// A shipment and a document that do not exist.
const (
	nothing    = collection + "/ship_00000000000000000000000000"
	noDocument = "/documents/doc_00000000000000000000000000"
)

// TestTheAuthorizationTableIsTheDescribedOne: openapi.yaml has its routes and permissions.
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
	a := newAPIOf(t, fakeService(fakeRepository{}))
	for _, op := range append(operations(), operation{call: post(collection+"?x=1", "{")}) {
		for name, header := range map[string]http.Header{
			"no organization": {"X-Organization-ID": nil},
			"a list":          {"X-Organization-ID": {a.org + ", " + publicid.New("org")}},
			"no permissions":  {"X-Token-Permissions": nil},
			"nothing but a token": {
				"X-Organization-ID": nil, "X-Token-ID": nil, "X-Token-Permissions": nil, "Authorization": {"Bearer x"},
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
}

// TestEveryPermissionButTheNeededOneIsNotEnough, of a token and of a person.
func TestEveryPermissionButTheNeededOneIsNotEnough(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for _, op := range operations() {
		others := strings.Join(strings.Fields(strings.Replace(allowed+" shipments:* X:WRITE", op.needs, "", 1)), " ")
		person := http.Header{"X-Token-ID": nil, "X-User-ID": {publicid.New("usr")}}
		for _, held := range []string{others, ""} {
			c := op.call
			c.permissions, c.header = &held, person
			if res := a.do(t, c); res.status != http.StatusForbidden {
				t.Errorf("%s %s of a person with %q: status %d", op.method, op.path, held, res.status)
			}
			c.header = nil
			res := a.do(t, c)
			challenge := `Bearer realm="shipments", error="insufficient_scope", scope="` + op.needs + `"`
			if got := res.header.Get("WWW-Authenticate"); res.status != http.StatusForbidden || got != challenge {
				t.Errorf("%s %s with %q: status %d, WWW-Authenticate %s", op.method, op.path, held, res.status, got)
			}
			if op.method == http.MethodHead {
				continue
			}
			want := "This needs " + op.needs + "; the token has no permission."
			if held != "" {
				want = "This needs " + op.needs + "; the token has " + held + "."
			}
			if p := res.problem(t, http.StatusForbidden, "insufficient_permission"); p.Detail != want {
				t.Errorf("detail %q, want %q", p.Detail, want)
			}
		}
		c := op.call
		c.permissions = new(op.needs)
		for _, c.header = range []http.Header{nil, person} {
			if res := a.do(t, c); res.status == http.StatusForbidden || res.status == http.StatusUnauthorized {
				t.Errorf("%s %s, %v: status %d with %s", op.method, op.path, c.header, res.status, op.needs)
			}
		}
	}
}
