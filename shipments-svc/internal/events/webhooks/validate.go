package webhooks

import (
	"fmt"
	"slices"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// faults returns the faults of the draft, with pointers into it.
func (d Draft) faults(loopback bool) (all []shipments.Fault) {
	if fault := urlFault(d.URL, loopback); fault != "" {
		code := shipments.InvalidValue
		if d.URL == "" {
			code = shipments.Required
		}
		all = append(all, shipments.Fault{Code: code, Pointer: "/url", Detail: fault})
	}
	if d.Description != "" {
		all = append(all, shipments.TextFaults("", "description", d.Description, MaxDescription)...)
	}
	for i, kind := range d.EventTypes {
		if !slices.Contains(shipments.EventTypes, kind) {
			all = append(all, shipments.Fault{
				Code: shipments.InvalidValue, Pointer: fmt.Sprintf("/event_types/%d", i),
				Detail: "event_types must be of " + shipments.Join(shipments.EventTypes),
			})
		}
	}
	return all
}

// faults returns the faults of the edit, with pointers into it.
func (e Edit) faults(loopback bool) []shipments.Fault {
	d := Draft{URL: "https://example.com/"} // valid, for a URL that is not replaced
	if e.URL != nil {
		d.URL = *e.URL
	}
	if e.Description != nil {
		d.Description = *e.Description
	}
	if e.EventTypes != nil {
		d.EventTypes = *e.EventTypes
	}
	all := d.faults(loopback)
	if e.Status != nil && !slices.Contains(Statuses, *e.Status) {
		all = append(all, shipments.Fault{
			Code: shipments.InvalidValue, Pointer: "/status", Detail: "status must be one of " + shipments.Join(Statuses),
		})
	}
	return all
}

// applied applies the edit to an endpoint. A new URL and enabling reset FailingSince.
func (e Edit) applied(to Endpoint) Endpoint {
	if e.URL != nil && *e.URL != to.URL {
		to.URL, to.FailingSince = *e.URL, time.Time{}
	}
	if e.Description != nil {
		to.Description = *e.Description
	}
	if e.EventTypes != nil {
		to.EventTypes = ordered(*e.EventTypes)
	}
	if e.Status != nil && *e.Status != to.Status {
		if to.Status, to.Reason, to.FailingSince = *e.Status, "", (time.Time{}); to.Status == Disabled {
			to.Reason = Requested
		}
	}
	return to
}

// ordered returns the distinct types in the order of shipments.EventTypes.
func ordered(types []shipments.EventType) []shipments.EventType {
	return slices.DeleteFunc(
		slices.Clone(shipments.EventTypes), func(kind shipments.EventType) bool { return !slices.Contains(types, kind) },
	)
}
