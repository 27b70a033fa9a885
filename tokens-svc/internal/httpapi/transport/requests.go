package transport

import (
	"cmp"
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

// nothing is a request without parameters and body.
type nothing = struct{}

func decodeNothing(r *http.Request) (nothing, error) { return nothing{}, query.Read(r).Err() }

func decodeCreate(now func() time.Time) func(*http.Request) (tokens.Draft, error) {
	return decodeBody(func(o *jsonbody.Object) tokens.Draft {
		token := o.Object("token")
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
		return d
	}, plainJSON)
}

var decodeUpdate = decodeBody(func(o *jsonbody.Object) tokens.Patch {
	token := o.Object("token")
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
	return p
}, plainJSON, mergePatch)

// decodeRotate returns for how long the rotated token still works.
var decodeRotate = decodeBody(func(o *jsonbody.Object) time.Duration {
	if o.Has("grace_seconds") {
		const beyond = int(tokens.MaxGrace/time.Second) + 1 // is refused
		return time.Duration(max(-1, min(o.Int("grace_seconds"), beyond))) * time.Second
	}
	return tokens.DefaultGrace
}, plainJSON)

// revokeRequest is why a token is to end, and whether those made with it end, too.
type revokeRequest struct {
	reason   string
	children bool
}

var decodeRevoke = decodeBody(func(o *jsonbody.Object) revokeRequest {
	return revokeRequest{reason: o.Text("reason"), children: o.Bool("children")}
}, plainJSON)

// readEnd returns when a token is to end, the zero time where that is null, or nil if it is omitted.
func readEnd(token *jsonbody.Object) *time.Time {
	if token.Null("expires_at") {
		return new(time.Time)
	}
	if end := token.Time("expires_at"); !end.IsZero() {
		return &end
	}
	return nil
}

// readLimit leaves missing members zero; an explicit zero is not one that anybody may choose.
func readLimit(o *jsonbody.Object) tokens.RateLimit {
	var r tokens.RateLimit
	if o.Has("limit") {
		r.Limit = orWrong(o.Int("limit"))
	}
	if o.Has("window_seconds") {
		r.WindowSeconds = orWrong(o.Int("window_seconds"))
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

// Bounds of pages.
const (
	defaultPerPage = 25
	maxPerPage     = 100
	maxPage        = 1_000_000_000
)

func decodeList(r *http.Request) (tokens.Query, error) {
	p := query.Read(r)
	q := tokens.Query{Page: readPage(p), Filter: query.OneOf(p, "status", tokens.Filters)}
	return q, p.Err()
}

// auditEventsRequest selects audit events: a page, newest first, or those after a number.
type auditEventsRequest struct {
	tokens.Page
	after *int64
}

func decodeAuditEvents(r *http.Request) (auditEventsRequest, error) {
	p := query.Read(r)
	const wrong = "after must be the number of an event, from 0, and with it page can only be 1"
	e := auditEventsRequest{readPage(p), readAfter(p, wrong)}
	if e.after != nil && e.Number > 1 {
		p.Fault("after", wrong)
	}
	return e, p.Err()
}

// readAfter returns the number behind which to go on, or nil for none.
func readAfter(p *query.Parameters, wrong string) *int64 {
	text, given := p.Text("after")
	if !given {
		return nil
	}
	after, err := strconv.ParseUint(text, 10, 63) // takes no sign
	if err != nil {
		p.Fault("after", wrong)
		return nil
	}
	return new(int64(after))
}

// readPage returns the requested part of a list.
func readPage(p *query.Parameters) tokens.Page {
	more := fmt.Sprintf("; more than %[1]d counts as %[1]d", maxPerPage)
	number, size := p.Number("page", 1, maxPage, ""), p.Number("per_page", 1, maxPage, more)
	return tokens.Page{Number: int(max(number, 1)), Size: int(min(cmp.Or(size, defaultPerPage), maxPerPage))}
}
