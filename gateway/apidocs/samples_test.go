package apidocs

import (
	"html"
	"regexp"
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
	if err != nil {
		t.Fatal(err)
	}
	text := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(string(put), ""))
	for _, want := range []string{"PUT", "/things/thing_1?at=7000000", "kind-1", `"b": "it's"`, "QUAYSIDE_TOKEN"} {
		if strings.Count(text, want) != 4 || strings.Contains(text, "tag-1") {
			t.Errorf("%d times %s in\n%s", strings.Count(text, want), want, text)
		}
	}
	get, err := samples("GET", path, d.get("paths", path, "get"))
	if err != nil || strings.Contains(string(get), "QUAYSIDE_TOKEN") {
		t.Errorf("a token is sent that is not needed: %v", err)
	}
}
