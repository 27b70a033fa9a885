package transport

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/jsonbody"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

type listView struct {
	Shipments []itemView `json:"shipments"`
	Meta      metaView   `json:"meta"`
}

type metaView struct {
	Page    int64 `json:"page"`
	PerPage int64 `json:"per_page"`
	Total   int64 `json:"total"`
}

func viewPaging(p shipments.Paging) metaView {
	return metaView{Page: p.Page, PerPage: p.PerPage, Total: p.Total}
}

func decodeList(r *http.Request) (shipments.Query, error) {
	p := readParameters(r)
	q := shipments.Query{
		Page:    p.page(),
		PerPage: p.perPage(),
		Filter: shipments.Filter{
			Status:        oneOf(p, "status", shipments.Statuses),
			Draft:         filterTexts(p),
			CheckResult:   oneOf(p, "check_result", shipments.Results),
			CreatedAfter:  p.time("created_after"),
			CreatedBefore: p.time("created_before"),
		},
	}
	return q, p.err()
}

// filterTexts reads the texts by which a list is filtered, in the form in which
// they are stored.
func filterTexts(p *parameters) (d shipments.Draft) {
	for _, t := range shipments.Texts {
		if !t.Filter {
			continue
		}
		text := p.text(t.Name)
		if text == "" {
			continue
		}
		if text = jsonbody.Normal(text); !t.Valid(text) || text == "" {
			p.fault(invalidParameter, t.Name, fmt.Sprintf(
				"%s must be valid UTF-8 of 1 to %d characters, not all blank, without control characters and characters that change the direction of text", t.Name, t.Max))
			continue
		}
		t.Set(&d, text)
	}
	return d
}

func encodeList(r *http.Request, page shipments.Page) reply {
	view := listView{
		Shipments: make([]itemView, len(page.Shipments)),
		Meta:      viewPaging(page.Paging),
	}
	for i, s := range page.Shipments {
		view.Shipments[i] = viewItem(s)
	}
	return reply{status: http.StatusOK, header: http.Header{"Link": {links(r.URL, page.Paging)}}, body: view}
}

// links is the Link header (RFC 8288) of a page: the pages around it, with
// everything else as it was asked for.
func links(u *url.URL, page shipments.Paging) string {
	query := u.Query()
	for name, values := range query {
		if values[0] == "" {
			query.Del(name)
		}
	}
	query.Set("per_page", strconv.FormatInt(page.PerPage, 10))
	path := (&url.URL{Path: u.Path}).EscapedPath() // in its canonical form
	last := max(1, (page.Total-1)/page.PerPage+1)
	var all []string
	link := func(rel string, number int64) {
		query.Set("page", strconv.FormatInt(number, 10))
		all = append(all, fmt.Sprintf("<%s?%s>; rel=%q", path, query.Encode(), rel))
	}
	link("first", 1)
	if page.Page > 1 {
		link("prev", min(page.Page-1, last))
	}
	if page.Page < last {
		link("next", page.Page+1)
	}
	link("last", last)
	return strings.Join(all, ", ")
}
