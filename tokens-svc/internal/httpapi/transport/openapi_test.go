package transport_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"github.com/quayside/quayside/tokens-svc/api"
)

// loaded is the document, as it is served but for its responses' schemas: these
// allow members that clients do not know, and here none.
var loaded = sync.OnceValues(func() (*openapi3.T, error) {
	text, err := api.JSON()
	if err != nil {
		return nil, err
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	schemas := responseSchemas(doc)
	for _, schema := range schemas {
		forbidUnknown(schema)
	}
	delete(schemas["Token"], "additionalProperties") // it is a part of NewToken
	if text, err = json.Marshal(doc); err != nil {
		return nil, err
	}
	return openapi3.NewLoader().LoadFromData(text)
})

// responseSchemas returns the schemas of the document's components that no request uses.
func responseSchemas(doc map[string]any) map[string]map[string]any {
	components, _ := doc["components"].(map[string]any)
	all, _ := components["schemas"].(map[string]any)
	schemas := map[string]map[string]any{}
	for name, schema := range all {
		if !slices.Contains([]string{"Create", "Update", "IPAllow", "LowerLimit", "Rotate", "Revoke"}, name) {
			schemas[name], _ = schema.(map[string]any)
		}
	}
	return schemas
}

// forbidUnknown forbids members that a schema, or one in it, does not describe.
func forbidUnknown(node any) {
	switch node := node.(type) {
	case map[string]any:
		_, described := node["properties"].(map[string]any)
		_, open := node["additionalProperties"]
		if _, composed := node["allOf"]; composed {
			node["unevaluatedProperties"] = false
		} else if described && !open {
			node["additionalProperties"] = false
		}
		for _, child := range node {
			forbidUnknown(child)
		}
	case []any:
		for _, child := range node {
			forbidUnknown(child)
		}
	}
}

// TestResponsesMayHaveNewMembers: clients are asked to tolerate them, so the
// document that clients see must not forbid any.
func TestResponsesMayHaveNewMembers(t *testing.T) {
	t.Parallel()
	text, err := api.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for name, schema := range responseSchemas(doc) {
		shown, err := json.Marshal(schema)
		if err != nil || bytes.Contains(shown, []byte(`Properties":false`)) {
			t.Errorf("schema %s forbids members: %s, %v", name, shown, err)
		}
	}
}

// document is the public API's, checked once.
var document = sync.OnceValues(func() (routers.Router, error) {
	doc, err := loaded()
	if err != nil {
		return nil, err
	}
	return legacy.NewRouter(doc) // which validates it, examples included
})

func TestTheDocumentIsValid(t *testing.T) {
	t.Parallel()
	if _, err := document(); err != nil {
		t.Fatal(err)
	}
}

// documented checks an answer against the API document: status, headers and
// body. Paths and methods that the document does not know have no answer in it.
func documented(tb testing.TB, r *http.Request, res *httptest.ResponseRecorder) {
	tb.Helper()
	router, err := document()
	if err != nil {
		tb.Fatal(err)
	}
	if r.Method == http.MethodHead {
		return // like GET, but without the body there is to check
	}
	route, params, err := router.FindRoute(r)
	if err != nil {
		if res.Code != http.StatusNotFound && res.Code != http.StatusMethodNotAllowed {
			tb.Errorf("%s %s answers %d and is not in the document", r.Method, r.URL.Path, res.Code)
		}
		return
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route},
		Status:                 res.Code,
		Header:                 res.Header(),
		Options:                &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	}
	input.SetBodyBytes(res.Body.Bytes())
	if err := openapi3filter.ValidateResponse(tb.Context(), input); err != nil {
		tb.Errorf("%s %s answers %d not as documented: %v", r.Method, r.URL.Path, res.Code, err)
	}
}

// TestTheDocumentIsEnforced: an answer that the document does not allow is found, so the other tests mean something.
func TestTheDocumentIsEnforced(t *testing.T) {
	t.Parallel()
	router, err := document()
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/token", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	route, _, err := router.FindRoute(r)
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{"Content-Type": {"application/json"}, "Cache-Control": {"no-store"}}
	for name, c := range map[string]struct {
		body string
		drop string
	}{
		"a member too many": {`{"token":{},"secret":"shpt_"}`, ""},
		"a member missing":  {`{"token":{"id":"tok_000000000001"}}`, ""},
		"a header missing":  {`{"token":{}}`, "Cache-Control"},
	} {
		h := header.Clone()
		h.Del(c.drop)
		input := &openapi3filter.ResponseValidationInput{
			RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, Route: route},
			Status:                 http.StatusOK, Header: h,
		}
		input.SetBodyBytes([]byte(c.body))
		if openapi3filter.ValidateResponse(t.Context(), input) == nil {
			t.Errorf("%s goes unnoticed", name)
		}
	}
}
