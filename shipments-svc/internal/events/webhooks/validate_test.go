package webhooks

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func TestFaults(t *testing.T) {
	t.Parallel()
	types := func(kinds ...shipments.EventType) *[]shipments.EventType { return &kinds }
	const fine = "https://example.com/"
	for want, faults := range map[string][]shipments.Fault{
		"required /url":      Draft{}.faults(false),
		"invalid_value /url": Draft{URL: "http://example.com/"}.faults(false),
		"too_long /description": Draft{
			URL:         fine,
			Description: strings.Repeat("x", MaxDescription+1),
		}.faults(false),
		"invalid_text /description": Draft{URL: fine, Description: "a\x00"}.faults(false),
		"invalid_value /event_types/1": Draft{
			URL:        fine,
			EventTypes: *types(shipments.ShipmentCreated, "shipment.lost"),
		}.faults(false),
		"invalid_value /event_types/0": Draft{URL: fine, EventTypes: *types(Test)}.faults(false),
		"": Draft{
			URL: fine, Description: "ERP",
			EventTypes: *types(shipments.DocumentFailed),
		}.faults(false),
		"required /url invalid_value /status": Edit{URL: new(""), Status: new(Status("off"))}.faults(false),
		"invalid_value /status": Edit{
			Status: new(Status("deleted")), EventTypes: types(),
			Description: new(""),
		}.faults(false),
	} {
		var got []string
		for _, f := range faults {
			got = append(got, fmt.Sprint(f.Code, " ", f.Pointer))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestApplied(t *testing.T) {
	t.Parallel()
	from := Endpoint{
		URL:         "https://a.example/",
		Description: "d",
		EventTypes:  []shipments.EventType{shipments.DocumentFailed},
		Status:      Disabled,
		Reason:      Gone,
	}
	if to := (Edit{}).applied(from); to.URL != from.URL || to.Reason != Gone || len(to.EventTypes) != 1 {
		t.Errorf("nothing replaced: %+v", to)
	}
	if to := (Edit{Status: new(Disabled)}).applied(from); to.Reason != Gone {
		t.Errorf("disabled again: %+v", to)
	}
	to := Edit{
		URL: new("https://b.example/"), Description: new(""), Status: new(Enabled),
		EventTypes: &[]shipments.EventType{shipments.ShipmentRejected, shipments.ShipmentCreated, shipments.ShipmentRejected},
	}.applied(from)
	if to.URL != "https://b.example/" || to.Description != "" || to.Status != Enabled || to.Reason != "" ||
		!slices.Equal(to.EventTypes, []shipments.EventType{shipments.ShipmentCreated, shipments.ShipmentRejected}) {
		t.Errorf("all replaced: %+v", to)
	}
	if to = (Edit{Status: new(Disabled)}).applied(to); to.Reason != Requested {
		t.Errorf("disabled: %+v", to)
	}
}
