package transport

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func TestValueFaultsOfUnreadableFieldsAreDropped(t *testing.T) {
	t.Parallel()
	err := invalid(
		[]jsonbody.Fault{
			{Pointer: "/shipment/vessel", Code: jsonbody.InvalidType},
			{Pointer: "/shipment/a", Code: jsonbody.UnknownField},
		}, "/shipment",
		[]shipments.Fault{
			{Pointer: "/vessel", Code: shipments.Required},
			{Pointer: "/vessel/x", Code: shipments.Required},
			{Pointer: "/ab", Code: shipments.Required},
		},
	)
	merged, ok := errors.AsType[*shipments.Invalid](err)
	if !ok {
		t.Fatal(err)
	}
	var got []string
	for _, f := range merged.Faults {
		got = append(got, fmt.Sprint(f.Code, f.Pointer))
	}
	want := []string{"invalid_type/shipment/vessel", "unknown_field/shipment/a", "required/shipment/ab"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
