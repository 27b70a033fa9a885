package transport

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

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
	status, given := p.Text("status")
	if q.Filter, err = tokens.ParseFilter(status); given && status == "" {
		p.Fault("status", "status must not be empty; leave it out for all tokens")
	} else if err != nil {
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
