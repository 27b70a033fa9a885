package transport_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func TestCreateReportsAllFaultsWithPointers(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	field := func(code, pointer, detail string) problem.Field {
		return problem.Field{Code: code, Pointer: pointer, Detail: detail}
	}
	missing := field("required", "/shipment", "shipment is required")
	for body, want := range map[string][]problem.Field{
		`{"shipment":{}}`: {
			field("required", "/shipment/reference", "reference is required"),
			field("required", "/shipment/vessel", "vessel is required"),
			field("required", "/shipment/origin", "origin is required"),
			field("required", "/shipment/destination", "destination is required"),
		},
		`{"shipment":{"reference":1,"vessel":null,"origin":["o"],"destination":{"d":1}}}`: {
			field("invalid_type", "/shipment/reference", "reference must be a string, not a number"),
			field("invalid_type", "/shipment/vessel", "vessel must be a string, not null"),
			field("invalid_type", "/shipment/origin", "origin must be a string, not an array"),
			field("invalid_type", "/shipment/destination", "destination must be a string, not an object"),
		},
		`{}`:                {missing},
		`{"shipment":null}`: {field("invalid_type", "/shipment", "shipment must be an object, not null")},
		`{"shipment":[]}`:   {field("invalid_type", "/shipment", "shipment must be an object, not an array")},
		`[]`:                {field("invalid_type", "", "the body must be an object, not an array")},
		`"shipment"`:        {field("invalid_type", "", "the body must be an object, not a string")},
		`null`:              {field("invalid_type", "", "the body must be an object, not null")},
		`{"reference":"r"}`: {
			missing, field("unknown_field", "/reference", `there is no member "reference"; there is shipment`),
		},
		`{"shipments":{}}`: {
			missing, field("unknown_field", "/shipments", `there is no member "shipments"; did you mean "shipment"?`),
		},
		`{"shipment":{"Reference":"r","vesel":"v","origin":"o","destination":"d"}}`: {
			field("unknown_field", "/shipment/Reference", `there is no member "Reference"; did you mean "reference"?`),
			field("unknown_field", "/shipment/vesel", `there is no member "vesel"; did you mean "vessel"?`),
			field("required", "/shipment/reference", "reference is required"),
			field("required", "/shipment/vessel", "vessel is required"),
		},
	} {
		answer := a.do(t, call{method: http.MethodPost, body: body})
		p := answer.wants(t, http.StatusUnprocessableEntity, "validation_failed")
		if !slices.Equal(p.Errors, want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", body, p.Errors, want)
		}
	}
	if n := a.total(t); n != 0 {
		t.Errorf("%d shipments were stored", n)
	}
}

// TestCreateNamesAnUnknownFieldAndTheNearestOne: where nothing else is wrong,
// the code says so.
func TestCreateNamesAnUnknownFieldAndTheNearestOne(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	var all []string
	for _, text := range shipments.Texts {
		all = append(all, text.Name)
	}
	for name, detail := range map[string]string{
		"status":     `there is no member "status"; there is ` + strings.Join(all, ", "),
		"origins":    `there is no member "origins"; did you mean "origin"?`,
		"detination": `there is no member "detination"; did you mean "destination"?`,
		"a/b~c":      `there is no member "a/b~c"; there is ` + strings.Join(all, ", "),
	} {
		body := strings.Replace(valid, `"reference"`, `"`+name+`":1,"reference"`, 1)
		answer := a.do(t, call{method: http.MethodPost, body: body})
		p := answer.wants(t, http.StatusUnprocessableEntity, "unknown_field")
		pointer := "/shipment/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		want := []problem.Field{{Code: "unknown_field", Pointer: pointer, Detail: detail}}
		if !slices.Equal(p.Errors, want) {
			t.Errorf("%s: %+v, want %+v", name, p.Errors, want)
		}
		if p.Detail != "1 field is not valid; see errors." {
			t.Errorf("detail %q", p.Detail)
		}
	}
}

// TestCreateReportsAtMostFiftyFaults, so that an answer is never much larger
// than what was sent deserves.
func TestCreateReportsAtMostFiftyFaults(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	var members strings.Builder
	for i := range 500 {
		fmt.Fprintf(&members, `"member%d":0,`, i)
	}
	body := strings.Replace(valid, `"reference"`, members.String()+`"reference"`, 1)
	p := a.do(t, call{method: http.MethodPost, body: body}).wants(t, http.StatusUnprocessableEntity, "unknown_field")
	if len(p.Errors) != 50 {
		t.Errorf("%d faults", len(p.Errors))
	}
}
