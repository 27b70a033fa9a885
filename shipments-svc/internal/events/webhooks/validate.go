package webhooks

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/limit/address"
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

// hostname matches a DNS name of at least two labels, of which the last is not a
// number. It does not match addresses in any spelling: decimal, octal or hexadecimal.
var hostname = regexp.MustCompile(
	`^(?i:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+(?i:[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)$`,
)

const (
	maxHostname = 253
	// Ports below, except 443, are those of other protocols.
	firstFreePort = 1024
)

// urlFault returns the fault of an endpoint's URL, or "". The address of its host is
// checked at each delivery. With loopback, http and https URLs of this machine are
// also valid.
func urlFault(text string, loopback bool) string {
	if text == "" {
		return "url is required"
	}
	if len(text) > MaxURL {
		return "url must have at most " + strconv.Itoa(MaxURL) + " characters"
	}
	for _, c := range []byte(text) {
		if c <= ' ' || c > '~' {
			return "url must be of visible ASCII characters; write an international host name in its xn-- form, and " +
				"anything else with %"
		}
	}
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" || u.Host == "" {
		return "url must be absolute, such as https://example.com/hooks"
	}
	local := loopback && address.Loopback(u.Hostname())
	switch {
	case u.Scheme != "https" && (u.Scheme != "http" || !local):
		return "url must begin with https://"
	case u.User != nil:
		return "url must not have a user name or password; deliveries are signed"
	case u.Fragment != "" || strings.Contains(text, "#"):
		return "url must not have a fragment"
	case local:
		return ""
	case len(u.Hostname()) > maxHostname || !hostname.MatchString(u.Hostname()):
		return "url must name its host by a public DNS name; addresses and names of one label are not allowed"
	case !portAllowed(u):
		return "url must have the port 443, or one from 1024"
	default:
		return ""
	}
}

func portAllowed(u *url.URL) bool {
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && (port == 443 || port >= firstFreePort)
}
