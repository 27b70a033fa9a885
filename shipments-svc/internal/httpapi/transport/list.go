package transport

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

type listView struct {
	Shipments []itemView       `json:"shipments"`
	Meta      shipments.Paging `json:"meta"`
}

func decodeList(r *http.Request) (shipments.Query, error) {
	p := query.Read(r)
	var q shipments.Query
	q.Page, q.PerPage = p.Page(shipments.MaxPerPage)
	q.Filter = ReadFilter(p)
	q.CreatedAfter, q.CreatedBefore = p.Time("created_after"), p.Time("created_before")
	q.UpdatedAfter = p.Time("updated_after")
	return q, p.Err()
}

// ReadFilter reads what lists of the API and of pages are filtered by, but for times.
func ReadFilter(p *query.Parameters) (f shipments.Filter) {
	f.Status = query.OneOf(p, "status", shipments.Statuses)
	text := func(name string, least, limit int, normal func(string) string) string {
		value, given := p.Text(name)
		if value = normal(value); given && shipments.TextFaults("", name, value, limit) != nil {
			p.Fault(name, fmt.Sprintf("%s must be valid UTF-8 of %d to %d characters, not all blank, without control "+
				"characters and characters that change the direction of text", name, least, limit))
		}
		return value
	}
	for _, t := range shipments.FilterFields {
		t.Set(&f.Texts, text(t.Name, 1, t.Max, jsonbody.Normal)) // as it is stored
	}
	f.Search = text("q", shipments.MinSearch, shipments.MaxSearch, func(text string) string { // any space divides words
		return jsonbody.Normal(strings.Join(strings.Fields(text), " "))
	})
	if f.Search != "" && utf8.RuneCountInString(f.Search) < shipments.MinSearch {
		p.Fault("q", fmt.Sprintf("q must have at least %d characters", shipments.MinSearch))
	}
	f.CheckResult = query.OneOf(p, "check_result", shipments.Results)
	return f
}

var encodeList = paged(func(page shipments.Page[shipments.Shipment]) (shipments.Paging, any) {
	return page.Paging, listView{each(page.Elements, viewItem), page.Paging}
})
