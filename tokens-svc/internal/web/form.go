package web

import (
	"net/url"
	"slices"
	"strings"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// fault is an error of one field of a form.
type fault struct {
	Field string // the field's id in the page
	Text  string // a whole sentence
}

// faults is all that is wrong with a form.
type faults []fault

// Fault returns the first one of a field, or nothing.
func (f faults) Fault(field string) string {
	for _, one := range f {
		if one.Field == field {
			return one.Text
		}
	}
	return ""
}

// Any is for templates: it reports whether one of these fields is at fault.
func (f faults) Any(fields ...string) bool {
	for _, field := range fields {
		if f.Fault(field) != "" {
			return true
		}
	}
	return false
}

// All is for templates.
func (f faults) All() faults { return f }

func (f *faults) add(field, text string) { *f = append(*f, fault{field, text}) }

// empty returns the faults whose fields were left empty in the form of the visit.
func (v *visit) empty(fields ...fault) (all faults) {
	for _, f := range fields {
		if v.PostForm.Get(f.Field) == "" {
			all = append(all, f)
		}
	}
	return all
}

// order is that of the fields on a page.
var order = []string{"name", "permissions", "expires_at", "ip_allow", "limit", "environment"}

// merge adds the service's faults of fields that the form itself had
// nothing to say about, and sorts all as the fields stand on the page.
func (f *faults) merge(found faults) {
	known := slices.Clone(*f)
	for _, one := range found {
		if known.Fault(one.Field) == "" {
			*f = append(*f, one)
		}
	}
	slices.SortStableFunc(*f, func(a, b fault) int { return slices.Index(order, a.Field) - slices.Index(order, b.Field) })
}

// labels are the page labels of the services' fields.
var labels = map[string]string{
	"name": "Name", "permissions": "Permissions", "ip_allow": "Allowed addresses", "limit": "Requests per minute",
	"window_seconds": "Requests per minute", "expires_at": "Expiry", "environment": "Environment", "reason": "Reason",
	"email": "E-mail address", "password": "Password", "role": "Role", "grace_seconds": "Overlap",
}

// missing are the messages for required fields.
var missing = map[string]string{
	"name": "Enter a name.", "permissions": "Choose at least one permission.", "email": "Enter an e-mail address.",
}

// faultsOf returns a validation error as messages.
func faultsOf(err *tokens.ValidationError) (all faults) {
	for _, f := range err.Fields {
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
		all.add(f.Field, text)
	}
	return all
}

// safeNext returns where to go after signing in: a page of ours, whatever text
// says. Of an address, only the path and the query count.
func safeNext(text string) string {
	const home = "/settings"
	u, err := url.Parse(text)
	if err != nil || len(text) > 512 || u.Path != home && !strings.HasPrefix(u.Path, home+"/") || strings.Contains(u.Path, "..") {
		return home
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String()
}
