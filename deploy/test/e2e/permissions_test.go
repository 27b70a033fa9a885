package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// permissions are all permissions; add new ones here.
var permissions = []string{
	"admin", "audit:read", "documents:read", "documents:write",
	"shipments:read", "shipments:review", "shipments:write", "tokens:read", "webhooks:manage",
}

// Each operation of the served API documents is called with one token per permission. Its x-permission is the
// required permission, `any` or `none`. An operation without x-permission or without an example request fails the test.
func TestEveryRouteRequiresItsPermission(t *testing.T) {
	t.Parallel()
	holders := map[string]devstack.Token{}
	for _, p := range permissions {
		holders[p] = fresh(t, p)
	}
	for _, doc := range api.Documents {
		for path, item := range doc.Paths.Map() {
			for method, op := range item.Operations() {
				t.Run(method+" "+path, func(t *testing.T) {
					c := example(t, path, method, item, op)
					need, _ := op.Extensions["x-permission"].(string)
					if public := op.Security != nil && len(*op.Security) == 0; public != (need == "none") {
						t.Errorf("x-permission is %q, but security differs", need)
					}
					switch {
					case need == "none":
						do(t, c).wants(t, http.StatusOK, "")
					case need == "any":
						c.token = fresh(t, "webhooks:manage").Secret
						if a := do(t, c); a.status == http.StatusForbidden {
							t.Errorf("needs no permission: got %s", a.body)
						}
					case holders[need].Secret == "":
						t.Errorf("x-permission is %q, which is no permission", need)
					default:
						refusesOthers(t, c, need, holders)
					}
				})
			}
		}
	}
}

func refusesOthers(t *testing.T, c call, need string, holders map[string]devstack.Token) {
	t.Helper()
	for held, token := range holders {
		c.token = token.Secret
		if includes(held, need) {
			c.token = fresh(t, held).Secret // a call may end its own token only
			if a := do(t, c); a.status == http.StatusForbidden {
				t.Errorf("with %s: %s", held, a.body)
			}
			continue
		}
		a := do(t, c)
		a.wants(t, http.StatusForbidden, "insufficient_permission")
		if p := a.problem(t); !strings.Contains(p.Detail, need) || !strings.Contains(p.Detail, held) {
			t.Errorf("with %s: the detail does not name the required and the granted permission: %q", held, p.Detail)
		}
		want := `Bearer realm="shipments", error="insufficient_scope", scope="` + need + `"`
		if got := a.header.Get("Www-Authenticate"); got != want {
			t.Errorf("with %s: WWW-Authenticate is %q, want %q", held, got, want)
		}
	}
}

// includes reports whether a permission includes another.
func includes(held, need string) bool {
	return held == need || held == "admin" || held == strings.Replace(need, ":read", ":write", 1)
}

// example returns the example request of the document.
func example(t *testing.T, path, method string, item *openapi3.PathItem, op *openapi3.Operation) call {
	t.Helper()
	c := call{method: method, path: path}
	for _, list := range []openapi3.Parameters{item.Parameters, op.Parameters} {
		for _, p := range list {
			if p.Value.In == openapi3.ParameterInPath {
				value, ok := exampleOf(p.Value.Example, p.Value.Examples, p.Value.Schema).(string)
				if !ok {
					t.Fatalf("the parameter %s has no example", p.Value.Name)
				}
				c.path = strings.ReplaceAll(c.path, "{"+p.Value.Name+"}", value)
			}
		}
	}
	if op.RequestBody == nil {
		return c
	}
	bodies := op.RequestBody.Value.Content
	if asJSON := bodies["application/json"]; asJSON != nil {
		bodies = openapi3.Content{"application/json": asJSON}
	}
	for mediaType, content := range bodies {
		value := exampleOf(content.Example, content.Examples, content.Schema)
		c.header = http.Header{"Content-Type": {mediaType}}
		if text, ok := value.(string); ok && mediaType != "application/json" {
			c.body = text
			continue
		}
		body, err := json.Marshal(value)
		if err != nil || value == nil {
			t.Fatalf("the body %s has no example (%v)", mediaType, err)
		}
		c.body = string(body)
	}
	return c
}

// exampleOf returns an example in any of the places where OpenAPI has them.
func exampleOf(one any, more openapi3.Examples, schema *openapi3.SchemaRef) any {
	if one != nil {
		return one
	}
	for _, e := range more {
		return e.Value.Value
	}
	if schema != nil && schema.Value != nil {
		return schema.Value.Example
	}
	return nil
}
