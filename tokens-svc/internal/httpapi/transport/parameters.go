package transport

import (
	"fmt"
	"net/http"

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

func decodeEvents(r *http.Request) (tokens.Page, error) {
	p := query.Read(r)
	page := readPage(p)
	return page, p.Err()
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
