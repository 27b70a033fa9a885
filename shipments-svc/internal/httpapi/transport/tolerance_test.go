package transport_test

import (
	"encoding/json"
	"strings"
	"testing"

	openapi "github.com/quayside/quayside/shipments-svc/api"
)

// TestResponsesMayHaveNewMembers: clients must tolerate them, so no
// schema that a response uses forbids any.
func TestResponsesMayHaveNewMembers(t *testing.T) {
	t.Parallel()
	text, err := openapi.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	seen, responses := map[string]bool{}, 0
	var walk func(at string, node any, inResponse bool)
	walk = func(at string, node any, inResponse bool) {
		switch node := node.(type) {
		case map[string]any:
			for _, name := range []string{"additionalProperties", "unevaluatedProperties"} {
				if allowed, has := node[name].(bool); inResponse && has && !allowed {
					t.Errorf("%s has %s: false", at, name)
				}
			}
			if ref, ok := node["$ref"].(string); ok && inResponse && !seen[ref] {
				seen[ref] = true
				walk(ref, resolve(t, doc, ref), true)
			}
			for name, child := range node {
				if name == "responses" {
					responses++
				}
				walk(at+"/"+name, child, inResponse || name == "responses")
			}
		case []any:
			for _, child := range node {
				walk(at, child, inResponse)
			}
		}
	}
	walk("", doc["paths"], false)
	if responses < 10 || !seen["#/components/schemas/Declared"] {
		t.Errorf("%d operations with responses, references %v", responses, seen)
	}
}

func resolve(t *testing.T, doc map[string]any, ref string) any {
	t.Helper()
	var node any = doc
	for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		object, ok := node.(map[string]any)
		if !ok {
			t.Fatalf("%s leads nowhere", ref)
		}
		node = object[part]
	}
	return node
}
