package contract

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v3"
)

// apiDocuments are the OpenAPI documents of the services. The services' own tests check them against the schemas of
// OpenAPI, their examples against their schemas, and responses against both.
var apiDocuments = []string{"shipments-svc/api/openapi.yaml", "tokens-svc/api/openapi.yaml"}

// TestEveryPropertyHasADescription, of its own or of the schema that it refers to.
func TestEveryPropertyHasADescription(t *testing.T) {
	t.Parallel()
	for _, path := range apiDocuments {
		var document map[string]any
		if err := yaml.Unmarshal(read(t, path), &document); err != nil {
			t.Fatal(err)
		}
		described(t, path, document, document)
	}
}

// described fails for every property below node without a description.
func described(t *testing.T, place string, document, node any) {
	t.Helper()
	switch node := node.(type) {
	case []any:
		for _, element := range node {
			described(t, place, document, element)
		}
	case map[string]any:
		properties, _ := node["properties"].(map[string]any)
		for name, property := range properties {
			schema, _ := property.(map[string]any)
			reference, _ := schema["$ref"].(string)
			target := document
			for part := range strings.SplitSeq(strings.TrimPrefix(reference, "#/"), "/") {
				step, _ := target.(map[string]any)
				target = step[part]
			}
			referred, _ := target.(map[string]any)
			if schema["description"] == nil && referred["description"] == nil {
				t.Errorf("%s/%s has no description", place, name)
			}
		}
		for name, child := range node {
			if name != "example" && name != "examples" {
				described(t, place+"/"+name, document, child)
			}
		}
	}
}

// TestExamplesAgree: what the example of a request sends stands in the example of its response.
func TestExamplesAgree(t *testing.T) {
	t.Parallel()
	compared := 0
	for _, path := range apiDocuments {
		document, err := openapi3.NewLoader().LoadFromData(read(t, path))
		if err != nil {
			t.Fatal(err)
		}
		if server := document.Servers[0].URL; server != "/" {
			t.Errorf("%s: the server is %s; the documentation needs /, the gateway's address", path, server)
		}
		for _, item := range document.Paths.Map() {
			for _, operation := range item.Operations() {
				if operation.RequestBody == nil {
					continue
				}
				for status, response := range operation.Responses.Map() {
					sent, answered := example(operation.RequestBody.Value.Content), example(response.Value.Content)
					if status[0] == '2' && sent != nil && answered != nil {
						agree(t, operation.OperationID, sent, answered)
						compared++
					}
				}
			}
		}
	}
	if compared < 10 {
		t.Errorf("only %d operations have an example of the request and of the response", compared)
	}
}

// example returns the JSON example of a body that has one.
func example(content openapi3.Content) any {
	media := content["application/json"]
	if media == nil {
		return nil
	}
	value := media.Example
	if len(media.Examples) == 1 {
		for _, only := range media.Examples {
			value = only.Value.Value
		}
	}
	return value
}

// agree fails for members that both values have, with another value.
func agree(t *testing.T, place string, sent, answered any) {
	t.Helper()
	from, isObject := sent.(map[string]any)
	to, areObjects := answered.(map[string]any)
	if !isObject || !areObjects {
		if !reflect.DeepEqual(sent, answered) {
			a, _ := json.Marshal([]any{sent, answered})
			t.Errorf("%s: the example of the request and that of the response differ: %s", place, a)
		}
		return
	}
	for name, value := range from {
		if other, ok := to[name]; ok {
			agree(t, place+"/"+name, value, other)
		}
	}
}
