package web

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// fault is an error of one field of a form, and faults is all that is wrong with it.
type (
	fault  = pages.Fault
	faults = pages.Faults
)

// empty returns the faults whose fields were left empty in the form of the visit.
func (v *visit) empty(fields ...fault) (all faults) {
	for _, f := range fields {
		if v.PostForm.Get(f.Field) == "" {
			all = append(all, f)
		}
	}
	return all
}

// labels are the page labels of the services' fields.
var labels = map[string]string{
	"name": "Name", "permissions": "Permissions", "ip_allow": "Allowed addresses", "limit": "Requests per minute",
	"window_seconds": "Requests per minute", "expires_at": "Expiry", "environment": "Environment", "reason": "Reason",
	"email": "E-mail address", "password": "Password", "role": "Role", "grace_seconds": "Overlap",
	"max_days": "Longest life in days",
}

// missing are the messages for required fields.
var missing = map[string]string{
	"name": "Enter a name.", "permissions": "Choose at least one permission.", "email": "Enter an e-mail address.",
}

// faultsOf returns what is wrong with an input as messages; nothing for any other error.
func faultsOf(err error) (all faults) {
	if full, ok := errors.AsType[*tokens.TooManyError](err); ok {
		all.Add("name", fmt.Sprintf("The organization has %d active tokens, the maximum. Revoke one first.", full.Max))
	}
	wrong, ok := errors.AsType[*tokens.ValidationError](err)
	if !ok {
		return all
	}
	for _, f := range wrong.Fields {
		text := missing[f.Field]
		if text == "" || f.Code != tokens.Required {
			between := " "
			if f.Entry > 0 {
				between = ": "
			}
			text = labels[f.Field] + between + f.Detail
			if !strings.HasSuffix(text, "?") {
				text += "."
			}
		}
		all.Add(f.Field, text)
	}
	return all
}

// positive reads an optional number: 0 for an empty field, and a number that the service refuses
// for anything but a positive one.
func positive(text string) int {
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n == 0 {
		return -1
	}
	return n
}

// overtaken is the fault of a whole form, by its id, that now shows another version.
func overtaken(form string) faults {
	return faults{{Field: form, Text: "This was changed after you opened the form, and nothing was saved. " +
		"The form shows it as it is now: make your changes again."}}
}

// safeNext returns where to go after signing in: a path of this origin, whatever text
// says. Of an address, only the path and the query count.
func safeNext(text string) string {
	u, err := url.Parse(text)
	if err != nil || len(text) > 512 || u.Path != path.Clean(u.Path) || !strings.HasPrefix(u.Path, "/") ||
		strings.ContainsAny(u.Path, "\\\r\n\t") || strings.HasPrefix(u.Path, "/sign-in") {
		return home
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String()
}

// home is where people go who have signed in and did not ask for a page.
const home = "/shipments"
