package pages

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxForm is how many bytes a form without a file may have.
const MaxForm = 64 << 10

// ParseForm reads a form without a file. Its error is a *http.MaxBytesError for one that is too large, of which the
// rest is read, too, up to the gateway's bound: closing the connection while the gateway sends would lose the response.
func ParseForm(r *http.Request) error {
	body := r.Body
	r.Body = http.MaxBytesReader(nil, body, MaxForm)
	err := r.ParseForm()
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		_, _ = io.Copy(io.Discard, body)
	}
	return err
}

// Storable reports whether Postgres can hold all names and values of a query or a form.
func Storable(values url.Values) bool {
	for name, all := range values {
		if slices.ContainsFunc(append([]string{name}, all...), func(text string) bool { return !StorableText(text) }) {
			return false
		}
	}
	return true
}

// StorableText reports whether Postgres can hold a text.
func StorableText(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// Fault is an error of one field of a form.
type Fault struct {
	Field string // the field's id in the page
	Text  string // a whole sentence
}

// Faults is all that is wrong with a form.
type Faults []Fault

// Fault returns the first one of a field, or nothing.
func (f Faults) Fault(field string) string {
	for _, one := range f {
		if one.Field == field {
			return one.Text
		}
	}
	return ""
}

// Any reports whether one of these fields is at fault.
func (f Faults) Any(fields ...string) bool {
	return slices.ContainsFunc(fields, func(field string) bool { return f.Fault(field) != "" })
}

// All returns f, for templates whose data embeds it.
func (f Faults) All() Faults { return f }

// Status is that of a page with this data: 422 if the data embeds Faults and there are some.
func Status(data any) int {
	if form, ok := data.(interface{ All() Faults }); ok && len(form.All()) > 0 {
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}

// Add appends a fault.
func (f *Faults) Add(field, text string) { *f = append(*f, Fault{field, text}) }
