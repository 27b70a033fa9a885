package web

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// perPage is how many shipments a list shows at a time.
const perPage = 50

// listPage is the data of the list.
type listPage struct {
	shipments.Filter
	Query     url.Values // as the filters are typed
	XLSX, CSV string     // the addresses of exports
	Results   []shipments.Result
	Tabs      []statusTab
	Rows      []row
	Pages     pages.Pager
	Create    bool  // the person may
	Templates bool  // the person may see them
	Waiting   int64 // for the person's review
	Empty     bool  // the organization has no shipments at all
}

// statusTab is a status above the list, with the number of its shipments.
type statusTab struct {
	Text, To string
	Count    int64
	Current  bool
}

// row is a shipment in the list.
type row struct {
	shipments.Shipment
	Link string
}

// filter returns the filter of the query. A value that is none of its parameter's is a *query.Error: without it the
// list, and its export, would have more than was asked for.
func (v *visit) filter() (shipments.Filter, error) {
	p := query.Read(v.Request)
	f := transport.ReadFilter(p)
	day := func(name string, offset time.Duration) *time.Time {
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
	f.CreatedAfter, f.CreatedBefore = day("from", -time.Millisecond), day("until", 24*time.Hour)
	err := p.Err()
	if wrong, ok := errors.AsType[*query.Error](err); ok && wrong.Only(query.UnknownParameter) { // such as page
		err = nil
	}
	return f, err
}

func (s *site) list(ctx context.Context, v *visit) (answer, error) {
	typed := v.URL.Query()
	filter, err := v.filter()
	if err != nil {
		return answer{}, err
	}
	p := listPage{
		Filter: filter, Query: typed, Results: shipments.Results, Create: v.may("POST /api/v1/shipments"),
		Templates: v.may("GET /api/v1/mapping_templates"),
	}
	page1 := pages.Number(typed)
	found, err := s.Service.List(ctx, v.org, shipments.Query{Filter: p.Filter, Page: int64(page1), PerPage: perPage})
	if err != nil {
		return answer{}, err
	}
	for _, one := range found.Elements {
		p.Rows = append(p.Rows, row{one, v.path(transport.ShipmentIDs.Format(one.ID))})
	}
	p.Pages = pages.Around(v.URL, page1, perPage, int(found.Total))
	typed.Del("page")
	p.XLSX, p.CSV = v.path("export.xlsx")+"?"+typed.Encode(), v.path("export.csv")+"?"+typed.Encode()
	p.Tabs = tabs(v.path(), shipments.Statuses, p.Status)
	for i, status := range append([]shipments.Status{""}, shipments.Statuses...) {
		counted, err := s.Service.List(ctx, v.org, shipments.Query{Filter: shipments.Filter{Status: status}, PerPage: 1})
		if err != nil {
			return answer{}, err
		}
		p.Tabs[i].Count = counted.Total
	}
	p.Empty = p.Tabs[0].Count == 0
	if i := slices.Index(shipments.Statuses, shipments.ReadyForReview); v.may("POST /api/v1/shipments/{id}/approve") {
		p.Waiting = p.Tabs[1+i].Count
	}
	return page("list", "Shipments", p), nil
}

// tabs returns a tab for all things and one for each status, at an address.
func tabs[Status ~string](to string, statuses []Status, current Status) []statusTab {
	all := []statusTab{{Text: "All", To: to, Current: current == ""}}
	for _, status := range statuses {
		query := url.Values{"status": {string(status)}}.Encode()
		all = append(all, statusTab{Text: words(status), To: to + "?" + query, Current: status == current})
	}
	return all
}
