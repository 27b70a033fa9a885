package apidocs

import (
	"strings"
	"testing"
)

const described = `{
	"paths": {"/things/{id}": {
		"put": {
			"parameters": [
				{"$ref": "#/components/parameters/ID"},
				{"name": "If-Match", "in": "header", "example": "tag-1"},
				{"name": "X-Kind", "in": "header", "required": true, "example": "kind-1"},
				{"name": "at", "in": "query", "required": true, "example": 7000000}
			],
			"requestBody": {"content": {"application/json": {"examples": {"one": {"value": {"b": "it's", "a": [1]}}}}}}
		},
		"get": {"security": []}
	}},
	"components": {"parameters": {"ID": {"name": "id", "in": "path", "required": true, "example": "thing_1"}}}
}`

func TestSamplesHaveWhatTheExamplesHave(t *testing.T) {
	t.Parallel()
	d, err := readDocument([]byte(described))
	if err != nil {
		t.Fatal(err)
	}
	const path = "/things/{id}"
	put, err := samples("PUT", path, d.get("paths", path, "put"))
	if err != nil || len(put.Samples) != 4 {
		t.Fatal(len(put.Samples), err)
	}
	for _, sample := range put.Samples {
		for _, want := range []string{"PUT", "/things/thing_1?at=7000000", "kind-1", `"b": "it's"`, "QUAYSIDE_TOKEN"} {
			if !strings.Contains(sample.Source, want) || strings.Contains(sample.Source, "tag-1") {
				t.Errorf("%s: no %s in\n%s", sample.Language, want, sample.Source)
			}
		}
	}
	get, err := samples("GET", path, d.get("paths", path, "get"))
	if err != nil || len(get.Samples) != 4 {
		t.Fatal(len(get.Samples), err)
	}
	for _, sample := range get.Samples {
		if strings.Contains(sample.Source, "QUAYSIDE_TOKEN") {
			t.Errorf("%s sends a token that is not needed", sample.Language)
		}
	}
}
