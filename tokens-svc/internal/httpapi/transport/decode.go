package transport

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// defaultLifetime is the lifetime of a new token unless one is given: the same as
// one made at the command line or in the form.
const defaultLifetime = 90 * 24 * time.Hour

func decodeNothing(r *http.Request) (struct{}, error) {
	return struct{}{}, query.Read(r).Err()
}

// pathID returns the token's id in the path, or "" where the route has none. A
// text that is no token's id names no token.
func pathID(r *http.Request) (tokens.TokenID, error) {
	id := tokens.TokenID(r.PathValue("id"))
	if id != "" && !id.Valid() {
		return "", tokens.ErrNotFound
	}
	return id, nil
}

func decodeDraft(now func() time.Time) func(*http.Request) (tokens.Draft, error) {
	return func(r *http.Request) (tokens.Draft, error) {
		body, err := readJSON(r, plainJSON)
		if err != nil {
			return tokens.Draft{}, err
		}
		token := body.Object().Object("token")
		d := tokens.Draft{
			Name:        token.Text("name"),
			Environment: tokens.Environment(token.Choice("environment", string(tokens.Live), string(tokens.Test))),
			Permissions: token.Texts("permissions"),
			ExpiresAt:   now().Add(defaultLifetime), DefaultExpiry: true,
		}
		if token.Has("ip_allow") {
			d.IPAllow = append([]string{}, token.Texts("ip_allow")...)
		}
		if token.Has("rate_limit") {
			d.RateLimit = readLimit(token.OptionalObject("rate_limit"))
		}
		if end := readEnd(token); end != nil {
			d.ExpiresAt, d.DefaultExpiry = *end, false
		}
		return d, faultsOf(body)
	}
}

func decodePatch(r *http.Request) (tokens.Patch, error) {
	body, err := readJSON(r, plainJSON, mergePatch)
	if err != nil {
		return tokens.Patch{}, err
	}
	token := body.Object().Object("token")
	p := tokens.Patch{Name: token.OptionalText("name"), ExpiresAt: readEnd(token)}
	if token.Has("permissions") {
		p.Permissions = new(token.Texts("permissions"))
	}
	switch {
	case token.Null("ip_allow"):
		p.IPAllow = new([]string)
	case token.Has("ip_allow"):
		p.IPAllow = new(token.Texts("ip_allow"))
	}
	switch {
	case token.Null("rate_limit"):
		p.RateLimit = new(tokens.DefaultRateLimit)
	case token.Has("rate_limit"):
		p.RateLimit = new(readLimit(token.OptionalObject("rate_limit")))
	}
	return p, faultsOf(body)
}

// decodeGrace returns how long a rotated token still works.
func decodeGrace(r *http.Request) (time.Duration, error) {
	body, err := readOptionalJSON(r)
	if err != nil {
		return 0, err
	}
	if o := body.Object(); o.Has("grace_seconds") {
		return seconds(o.Int("grace_seconds")), faultsOf(body)
	}
	return tokens.DefaultGrace, faultsOf(body)
}

// revocation is why a token is to end, and whether those made with it end, too.
type revocation struct {
	reason   string
	children bool
}

func decodeRevocation(r *http.Request) (revocation, error) {
	body, err := readOptionalJSON(r)
	if err != nil {
		return revocation{}, err
	}
	o := body.Object()
	return revocation{reason: o.Text("reason"), children: o.Bool("children")}, faultsOf(body)
}

// readEnd returns when a token is to end, the zero time where that is null, or
// nil if it is omitted.
func readEnd(token *jsonbody.Object) *time.Time {
	if token.Null("expires_at") {
		return new(time.Time)
	}
	if end := token.Time("expires_at"); !end.IsZero() {
		return &end
	}
	return nil
}

// readLimit leaves missing members zero; an explicit zero is not one that
// anybody may choose.
func readLimit(o *jsonbody.Object) tokens.RateLimit {
	var r tokens.RateLimit
	if o.Has("limit") {
		r.Limit = orWrong(o.Int("limit"))
	}
	if o.Has("window_seconds") {
		r.Window = seconds(orWrong(o.Int("window_seconds")))
	}
	return r
}

// orWrong turns 0 into a number that is refused.
func orWrong(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// seconds returns n seconds, or the longest duration where those do not fit.
func seconds(n int) time.Duration {
	const most = int(1<<63-1) / int(time.Second)
	return time.Duration(max(min(n, most), -most)) * time.Second
}

// Bounds of pages.
const (
	defaultPerPage = 25
	maxPerPage     = 100
	maxPage        = 1_000_000_000
)

func decodeList(r *http.Request) (tokens.Query, error) {
	p := query.Read(r)
	q := tokens.Query{Page: readPage(p)}
	var err error
	status, _ := p.Text("status")
	if q.Filter, err = tokens.ParseFilter(status); err != nil {
		p.Fault("status", "status "+err.Error())
	}
	return q, p.Err()
}

// events selects audit events: a page, newest first, or those after a number.
type events struct {
	tokens.Page
	after *int64
}

func decodeEvents(r *http.Request) (events, error) {
	p := query.Read(r)
	e := events{Page: readPage(p)}
	if text, given := p.Text("after"); given {
		after, err := strconv.ParseUint(text, 10, 63) // takes no sign
		if err != nil || e.Number > 1 {
			p.Fault("after", "after must be the number of an event, from 0, and page must not be given with it")
		}
		e.after = new(int64(after))
	}
	return e, p.Err()
}

// readPage returns the requested part of a list.
func readPage(p *query.Parameters) tokens.Page {
	page := tokens.Page{
		Number: int(p.Number("page", 1, maxPage, "")),
		Size:   int(p.Number("per_page", 1, maxPage, fmt.Sprintf("; more than %d counts as %d", maxPerPage, maxPerPage))),
	}
	page.Number = max(page.Number, 1)
	if page.Size == 0 {
		page.Size = defaultPerPage
	}
	page.Size = min(page.Size, maxPerPage)
	return page
}
