package transport

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/problem"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Bounds of pages.
const (
	defaultPerPage = 25
	maxPerPage     = 100
	maxPage        = 1_000_000_000
)

// Fault codes of queries.
const (
	unknownParameter = "unknown_parameter"
	invalidParameter = "invalid_parameter"
)

// parameters reads a query. A reader asks for what it knows, gets zero values
// where it is missing or wrong, and in the end asks for the error; a
// parameter that was not read is one.
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

func decodeList(r *http.Request) (tokens.Query, error) {
	p := readParameters(r)
	q := tokens.Query{Page: p.page()}
	var err error
	status, given := p.text("status")
	if q.Filter, err = tokens.ParseFilter(status); given && status == "" {
		p.fault(invalidParameter, "status", "status must not be empty; leave it out for all tokens")
	} else if err != nil {
		p.fault(invalidParameter, "status", "status "+err.Error())
	}
	return q, p.err()
}

func decodeEvents(r *http.Request) (tokens.Page, error) {
	p := readParameters(r)
	page := p.page()
	return page, p.err()
}

// page returns which part of a list is asked for.
func (p *parameters) page() tokens.Page {
	return tokens.Page{
		Number: p.number("page", 1, ""),
		Size:   min(p.number("per_page", defaultPerPage, fmt.Sprintf("; more than %d counts as %d", maxPerPage, maxPerPage)), maxPerPage),
	}
}

// number returns a parameter that must be a whole number from 1. also ends the
// text with the allowed values.
func (p *parameters) number(name string, otherwise int, also string) int {
	text, given := p.text(name)
	if !given {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 31) // takes no sign
	if err != nil || n == 0 || n > maxPage {
		p.fault(invalidParameter, name, fmt.Sprintf("%s must be a whole number from 1 to %d%s", name, maxPage, also))
		return otherwise
	}
	return int(n)
}

// text returns a parameter as it was sent, and whether it was sent, once.
func (p *parameters) text(name string) (text string, given bool) {
	p.asked = append(p.asked, name)
	values := p.values[name]
	if len(values) > 1 {
		p.fault(invalidParameter, name, fmt.Sprintf("%s is given %d times; give it once", name, len(values)))
		return "", false
	}
	return p.values.Get(name), len(values) == 1
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
		p.fault(unknownParameter, name, jsonbody.Unknown("parameter", tokens.Scrub(name), p.asked))
	}
	if len(p.faults) == 0 {
		return nil
	}
	return &parameterError{p.faults}
}

func (p *parameters) fault(code, name, detail string) {
	p.faults = append(p.faults, problem.Field{Code: code, Parameter: tokens.Scrub(name), Detail: detail})
}

// links is the Link header (RFC 8288) of a page: the pages around it, with
// everything else as it was asked for.
func links(u *url.URL, page tokens.Page, total int) string {
	query := u.Query()
	query.Set("per_page", strconv.Itoa(page.Size))
	path := (&url.URL{Path: u.Path}).EscapedPath() // in its canonical form
	last := max(1, (total-1)/page.Size+1)
	var all []string
	link := func(rel string, number int) {
		query.Set("page", strconv.Itoa(number))
		all = append(all, fmt.Sprintf("<%s?%s>; rel=%q", path, query.Encode(), rel))
	}
	link("first", 1)
	if page.Number > 1 {
		link("prev", min(page.Number-1, last))
	}
	if page.Number < last {
		link("next", page.Number+1)
	}
	link("last", last)
	return strings.Join(all, ", ")
}
