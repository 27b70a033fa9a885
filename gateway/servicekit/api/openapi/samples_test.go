package openapi

import (
	"encoding/json"
	"strings"
	"testing"
)

const described = `
openapi: 3.1.0
paths:
  /things/{id}:
    put:
      parameters:
        - $ref: "#/components/parameters/ID"
        - { name: If-Match, in: header, example: tag-1 }
        - { name: X-Kind, in: header, required: true, example: kind-1 }
        - { name: at, in: query, required: true, example: 7 }
      requestBody:
        content:
          application/json: { examples: { one: { value: { b: it's, a: [1] } } } }
    get:
      security: []
components:
  parameters:
    ID: { name: id, in: path, required: true, example: thing_1 }
`

func TestSamplesHaveWhatTheExamplesHave(t *testing.T) {
	t.Parallel()
	text, err := JSON([]byte(described))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Samples []struct{ Label, Lang, Source string } `json:"x-codeSamples"`
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	samples := doc.Paths["/things/{id}"]["put"].Samples
	if len(samples) != 4 {
		t.Fatalf("%d samples", len(samples))
	}
	for _, sample := range samples {
		for _, want := range []string{"PUT", "/things/thing_1?at=7", "kind-1", `"b": "it's"`, "QUAYSIDE_TOKEN"} {
			if !strings.Contains(sample.Source, want) || strings.Contains(sample.Source, "tag-1") {
				t.Errorf("%s: no %s in\n%s", sample.Label, want, sample.Source)
			}
		}
	}
	for _, sample := range doc.Paths["/things/{id}"]["get"].Samples {
		if strings.Contains(sample.Source, "QUAYSIDE_TOKEN") {
			t.Errorf("%s sends a token that is not needed", sample.Label)
		}
	}
}
