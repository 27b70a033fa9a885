// Package query reads the query of a URL strictly. A decoder reads the parameters
// it knows and then calls Err: a parameter that is unknown, given twice or not
// valid is a fault, and all faults are reported together.
package query

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/text/spelling"
)

// Codes of faults.
const (
	UnknownParameter = "unknown_parameter"
	InvalidParameter = "invalid_parameter"
)

// Error is all faults of a query. Without faults, the query is not well-formed.
type Error struct{ Faults []problem.Field }

// Error implements error.
func (e *Error) Error() string {
	if len(e.Faults) == 0 {
		return "the query is not well-formed: it has a ; or a % that is no escape"
	}
	return problem.Summary(len(e.Faults), "query parameter")
}

// Parameters are the parameters of a query.
type Parameters struct {
	values    url.Values
	malformed bool
	read      []string
	faults    []problem.Field
}

// Read returns the parameters of a request.
func Read(r *http.Request) *Parameters {
	values, err := url.ParseQuery(r.URL.RawQuery)
	return &Parameters{values: values, malformed: err != nil}
}

// Text returns a parameter as it was sent, and whether it was: an empty one is as none.
func (p *Parameters) Text(name string) (text string, given bool) {
	p.read = append(p.read, name)
	values := p.values[name]
	if len(values) > 1 {
		p.Fault(name, fmt.Sprintf("%s is given %d times; give it once", name, len(values)))
		return "", false
	}
	text = p.values.Get(name)
	return text, len(values) == 1 && text != ""
}

// Number returns a parameter that must be a whole number from least to most, or 0
// where it is missing or not valid. also ends the detail of the fault.
func (p *Parameters) Number(name string, least, most int64, also string) int64 {
	text, given := p.Text(name)
	if !given {
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 63) // takes no sign
	if err != nil || int64(n) < least || int64(n) > most {
		p.Fault(name, fmt.Sprintf("%s must be a whole number from %d to %d%s", name, least, most, also))
		return 0
	}
	return int64(n)
}

// Limit returns a parameter that is a number of elements, of which a response has most, or 0
// where it is missing or not valid.
func (p *Parameters) Limit(name string, most int64) int64 {
	return p.Number(name, 1, math.MaxInt64, fmt.Sprintf("; more than %[1]d counts as %[1]d", most))
}

// Page returns page and per_page, which are at least 1, or 0 where they are missing or not valid.
func (p *Parameters) Page(most int64) (page, perPage int64) {
	return p.Number("page", 1, math.MaxInt64, ""), p.Limit("per_page", most)
}

// Time returns a parameter that must be an RFC 3339 time, or nil where it is
// missing or not valid.
func (p *Parameters) Time(name string) *time.Time {
	text, given := p.Text(name)
	if !given {
		return nil
	}
	var t time.Time
	upper := strconv.Quote(strings.ToUpper(text))             // RFC 3339 allows t and z
	if err := json.Unmarshal([]byte(upper), &t); err != nil { // unlike time.Parse, exactly RFC 3339
		p.Fault(name,
			name+" must be an RFC 3339 time such as 2026-11-20T14:03:52.123Z or 2026-11-20T16:03:52%2B02:00, where %2B is a +")
		return nil
	}
	return &t
}

// Day returns the beginning of a parameter that must be a day, in UTC, and an offset later, or nil where it is missing
// or not valid.
func (p *Parameters) Day(name string, offset time.Duration) *time.Time {
	text, given := p.Text(name)
	at, err := time.Parse(time.DateOnly, text)
	if err == nil {
		return new(at.Add(offset))
	}
	if given {
		p.Fault(name, name+" must be a day such as 2026-11-20")
	}
	return nil
}

// OneOf returns a parameter that must be one of the allowed values, or "" where
// it is missing or not valid.
func OneOf[T ~string](p *Parameters, name string, allowed []T) T {
	text, given := p.Text(name)
	if !given || slices.Contains(allowed, T(text)) {
		return T(text)
	}
	texts := make([]string, len(allowed))
	for i, a := range allowed {
		texts[i] = string(a)
	}
	p.Fault(name, name+" must be one of "+strings.Join(texts, ", "))
	return ""
}

// Fault reports that the value of a parameter is not valid.
func (p *Parameters) Fault(name, detail string) {
	p.faults = append(p.faults, problem.Field{Code: InvalidParameter, Parameter: name, Detail: detail})
}

// Err returns an *Error, or nil. Parameters that were not read are unknown.
func (p *Parameters) Err() error {
	known := *p
	for _, name := range slices.Sorted(maps.Keys(p.values)) {
		if !slices.Contains(p.read, name) {
			known.faults = append(known.faults, problem.Field{
				Code: UnknownParameter, Parameter: name, Detail: spelling.Unknown("parameter", name, p.read),
			})
		}
	}
	return known.ErrOfRead()
}

// ErrOfRead is Err for a page, whose other parameters are of no interest.
func (p *Parameters) ErrOfRead() error {
	if len(p.faults) == 0 && !p.malformed {
		return nil
	}
	return &Error{p.faults}
}

// PageLinks is the Link header (RFC 8288) of a page of a list: first, prev, next
// and last, with the other parameters of u. Empty parameters are left out.
func PageLinks(u *url.URL, page, perPage, total int64) string {
	query := u.Query()
	for name, values := range query {
		if values[0] == "" {
			query.Del(name)
		}
	}
	query.Set("per_page", strconv.FormatInt(perPage, 10))
	path := (&url.URL{Path: u.Path}).EscapedPath() // in its canonical form
	last := max(1, (total-1)/perPage+1)
	var all []string
	link := func(rel string, number int64) {
		query.Set("page", strconv.FormatInt(number, 10))
		all = append(all, fmt.Sprintf("<%s?%s>; rel=%q", path, query.Encode(), rel))
	}
	link("first", 1)
	if page > 1 {
		link("prev", min(page-1, last))
	}
	if page < last {
		link("next", page+1)
	}
	link("last", last)
	return strings.Join(all, ", ")
}
