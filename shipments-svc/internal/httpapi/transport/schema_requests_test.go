package transport_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
)

// stranger is a name that resembles no other: the error for it lists the names
// that are accepted.
var stranger = strings.Repeat("ß", 60)

// TestDecodersAcceptTheDescribedMembers sends each operation an object with an
// unknown member wherever openapi.yaml has an object, and compares the members
// that the errors name with the described properties.
func TestDecodersAcceptTheDescribedMembers(t *testing.T) {
	t.Parallel()
	a := newAPIOf(t, fakeService(fakeRepository{}))
	for path, item := range document(t).Paths.Map() {
		for method, op := range item.Operations() {
			if op.RequestBody == nil {
				continue
			}
			schema := op.RequestBody.Value.Content["application/json"].Schema.Value
			body, err := json.Marshal(strange(schema))
			if err != nil {
				t.Fatal(err)
			}
			res := a.do(t, call{method: method, path: filled(path), body: string(body)})
			accepted := map[string][]string{}
			for _, f := range errorsIn(t, res) {
				if pointer, ok := strings.CutSuffix(f.Pointer, "/"+stranger); ok {
					accepted[pointer] = known(f.Detail)
				}
			}
			compareMembers(t, op.OperationID, "", schema, accepted)
		}
	}
}

// TestDecodersAcceptTheDescribedParameters does the same with the parameters of
// queries.
func TestDecodersAcceptTheDescribedParameters(t *testing.T) {
	t.Parallel()
	a := newAPIOf(t, fakeService(fakeRepository{}))
	for path, item := range document(t).Paths.Map() {
		for method, op := range item.Operations() {
			if op.Extensions["x-permission"] == "none" {
				continue
			}
			var want []string
			for _, p := range op.Parameters {
				if p.Value.In == openapi3.ParameterInQuery {
					want = append(want, p.Value.Name)
				}
			}
			res := a.do(t, call{method: method, path: filled(path) + "?" + stranger + "=", body: "{}"})
			got := known(res.problem(t, http.StatusBadRequest, "unknown_parameter").Errors[0].Detail)
			if slices.Sort(got); !slices.Equal(got, sorted(want)) {
				t.Errorf("%s accepts %v, and %v are described", op.OperationID, got, want)
			}
		}
	}
}

func errorsIn(t *testing.T, res answer) []problem.Field {
	t.Helper()
	var p problem.Problem
	decode(t, res.body, &p)
	return p.Errors
}

// strange returns a value for a schema: objects and arrays with all that is
// described, and an unknown member in each object.
func strange(schema *openapi3.Schema) any {
	switch {
	case schema.Type.Is("object"):
		object := map[string]any{stranger: 0}
		for name, property := range schema.Properties {
			switch {
			case property.Value.Type.Is("object"),
				property.Value.Type.Is("array") && property.Value.Items.Value.Type.Is("object"):
				object[name] = strange(property.Value)
			case property.Value.Type.Is("string"):
				object[name] = "QQ==" // some strings bring other members with them
			}
		}
		return object
	default:
		return []any{strange(schema.Items.Value)}
	}
}

func compareMembers(t *testing.T, operation, at string, schema *openapi3.Schema, accepted map[string][]string) {
	t.Helper()
	var want []string
	for name, property := range schema.Properties {
		want = append(want, name)
		switch {
		case property.Value.Type.Is("object"):
			compareMembers(t, operation, at+"/"+name, property.Value, accepted)
		case property.Value.Type.Is("array") && property.Value.Items.Value.Type.Is("object"):
			compareMembers(t, operation, at+"/"+name+"/0", property.Value.Items.Value, accepted)
		}
	}
	got, ok := accepted[at]
	if !ok {
		t.Errorf("%s: %q was not read as an object", operation, at)
	}
	if !slices.Equal(sorted(got), sorted(want)) {
		t.Errorf("%s accepts %v at %q, and %v are described", operation, got, at, want)
	}
}

// known returns the names that the error for an unknown one lists.
func known(detail string) []string {
	_, list, ok := strings.Cut(detail, "; there is ")
	if !ok || list == "none here" {
		return nil
	}
	return strings.Split(list, ", ")
}

func sorted(all []string) []string { return slices.Sorted(slices.Values(all)) }
