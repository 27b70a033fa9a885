package webhooks

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// faults returns what is wrong with the draft, with pointers from it.
func (d Draft) faults(loopback bool) (all []shipments.Fault) {
	if fault := urlFault(d.URL, loopback); fault != "" {
		code := shipments.InvalidValue
		if d.URL == "" {
			code = shipments.Required
		}
		all = append(all, shipments.Fault{Code: code, Pointer: "/url", Detail: fault})
	}
	if d.Description != "" {
		all = append(all, shipments.JudgeText("", "description", d.Description, MaxDescription)...)
	}
	for i, kind := range d.EventTypes {
		if !slices.Contains(shipments.EventTypes, kind) {
			all = append(all, shipments.Fault{
				Code: shipments.InvalidValue, Pointer: fmt.Sprintf("/event_types/%d", i),
				Detail: "event_types must be of " + join(shipments.EventTypes),
			})
		}
	}
	return all
}

// faults returns what is wrong with the edit, with pointers from it.
func (e Edit) faults(loopback bool) []shipments.Fault {
	d := Draft{URL: "https://example.com/"} // stands for what is not replaced and therefore not judged
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
			Code: shipments.InvalidValue, Pointer: "/status", Detail: "status must be one of " + join(Statuses),
		})
	}
	return all
}

// applied returns the endpoint with what the edit replaces. With another URL, or
// enabled again, it is not yet known to fail.
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

// ordered returns the types once each, in the order of shipments.EventTypes.
func ordered(types []shipments.EventType) []shipments.EventType {
	all := []shipments.EventType{}
	for _, kind := range shipments.EventTypes {
		if slices.Contains(types, kind) {
			all = append(all, kind)
		}
	}
	return all
}

func join[T ~string](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return strings.Join(texts, ", ")
}
