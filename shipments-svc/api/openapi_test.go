package api

import (
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

func document(t *testing.T) *openapi3.T {
	t.Helper()
	text, err := JSON()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestTheDescriptionIsValidWithItsExamples(t *testing.T) {
	t.Parallel()
	if err := document(t).Validate(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestEveryResponseHasTheGatewaysHeaders: customers meet them on all
// responses, so all describe them.
func TestEveryResponseHasTheGatewaysHeaders(t *testing.T) {
	t.Parallel()
	doc := document(t)
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if public := op.Security != nil && len(*op.Security) == 0; public {
				continue
			}
			for status, response := range op.Responses.Map() {
				for _, name := range []string{
					"X-Request-ID", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit", "RateLimit-Policy",
				} {
					if response.Value.Headers[name] == nil {
						t.Errorf("%s %s, %s: no %s", method, path, status, name)
					}
				}
			}
			for _, status := range []string{"401", "403", "405", "429", "500", "502", "503", "504"} {
				if op.Responses.Value(status) == nil {
					t.Errorf("%s %s: no %s", method, path, status)
				}
			}
		}
	}
}

// TestExamplesOfProblemsNameTheirCode: the type leads to the page of the code.
func TestExamplesOfProblemsNameTheirCode(t *testing.T) {
	t.Parallel()
	for name, response := range document(t).Components.Responses {
		example, ok := response.Value.Content["application/problem+json"].Example.(map[string]any)
		if !ok {
			t.Fatalf("%s has no example", name)
		}
		if example["type"] != "/problems/"+example["code"].(string) ||
			!strings.HasPrefix(example["request_id"].(string), "req_") {
			t.Errorf("%s: %v", name, example)
		}
	}
}
