package transport

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/problem"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Codes of what can be wrong with a query.
const (
	unknownParameter = "unknown_parameter"
	invalidParameter = "invalid_parameter"
)

// parameters reads a query. A reader asks for what it knows, gets zero values
// where it is missing, empty or wrong, and in the end asks for the error; a
// parameter that nobody asked for is one.
type parameters struct {
	values    url.Values
	malformed bool
	asked     []string
	faults    []problem.Field
}

// parameterError is all that is wrong with a query.
type parameterError struct{ faults []problem.Field }

// Error implements error.
func (e *parameterError) Error() string {
	if len(e.faults) == 0 {
		return "the query is not well-formed: it has a ; or a % that is no escape"
	}
	return counted(len(e.faults), "query parameter") + " not valid; see errors."
}

func readParameters(r *http.Request) *parameters {
	values, err := url.ParseQuery(r.URL.RawQuery)
	return &parameters{values: values, malformed: err != nil}
}

// text returns a parameter as it was sent.
func (p *parameters) text(name string) string {
	p.asked = append(p.asked, name)
	values := p.values[name]
	if len(values) > 1 {
		p.fault(invalidParameter, name, fmt.Sprintf("%s is given %d times; give it once", name, len(values)))
		return ""
	}
	return p.values.Get(name)
}

// number returns a parameter that must be a whole number from 1, or 0. also
// ends the text that says what is allowed.
func (p *parameters) number(name, also string) int64 {
	text := p.text(name)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 63) // takes no sign
	if err != nil || n == 0 {
		p.fault(invalidParameter, name,
			fmt.Sprintf("%s must be a whole number from 1 to %d%s", name, math.MaxInt64, also))
		return 0
	}
	return int64(n)
}

// after returns the parameter that says how far the caller has read, or 0.
func (p *parameters) after() int64 {
	n, err := strconv.ParseUint(p.text("after"), 10, 63) // takes no sign
	if err != nil && p.values.Get("after") != "" && len(p.values["after"]) == 1 {
		p.fault(invalidParameter, "after", fmt.Sprintf("after must be a whole number from 0 to %d: meta.next_after of the answer before", math.MaxInt64))
	}
	return int64(n)
}

// limit returns the parameter that says how many are wanted, or 0.
func (p *parameters) limit() int64 {
	return p.number("limit", fmt.Sprintf("; more than %d counts as %d", shipments.MaxPerPage, shipments.MaxPerPage))
}

// page and perPage return the parameters that say which part of a list is
// wanted, or 0.
func (p *parameters) page() int64 { return p.number("page", "") }

func (p *parameters) perPage() int64 {
	return p.number("per_page", fmt.Sprintf("; more than %d counts as %d", shipments.MaxPerPage, shipments.MaxPerPage))
}

// oneOf returns a parameter that must be one of the allowed values, or "".
func oneOf[T ~string](p *parameters, name string, allowed []T) T {
	value := T(p.text(name))
	if value == "" || slices.Contains(allowed, value) {
		return value
	}
	texts := make([]string, len(allowed))
	for i, a := range allowed {
		texts[i] = string(a)
	}
	p.fault(invalidParameter, name, name+" must be one of "+strings.Join(texts, ", "))
	return ""
}

// rfc3339 is the form of a time. Package time reads other forms, too: an hour
// of one digit, a decimal comma, any offset.
var rfc3339 = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// time returns a parameter that must be an RFC 3339 time, or nil.
func (p *parameters) time(name string) *time.Time {
	text := p.text(name)
	if text == "" {
		return nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || !rfc3339.MatchString(text) {
		p.fault(invalidParameter, name,
			name+" must be an RFC 3339 time such as 2026-11-20T14:03:52.123Z or 2026-11-20T16:03:52%2B02:00, where %2B is a +")
		return nil
	}
	return &t
}

// err returns a *parameterError, or nil.
func (p *parameters) err() error {
	if p.malformed {
		return &parameterError{}
	}
	var unknown []string
	for name := range p.values {
		if !slices.Contains(p.asked, name) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	for _, name := range unknown {
		p.fault(unknownParameter, name, jsonbody.Unknown("parameter", name, p.asked))
	}
	if len(p.faults) == 0 {
		return nil
	}
	return &parameterError{p.faults}
}

func (p *parameters) fault(code, name, detail string) {
	p.faults = append(p.faults, problem.Field{Code: code, Parameter: name, Detail: detail})
}
