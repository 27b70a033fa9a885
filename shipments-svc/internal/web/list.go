package web

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// perPage is how many shipments a list shows at a time.
const perPage = 50

// listPage is the data of the list.
type listPage struct {
	shipments.Filter
	Ways      []pages.Link
	Query     url.Values   // as the filters are typed
	Chips     []pages.Link // without each of the filters
	Clear     string       // the address without filters
	XLSX, CSV string       // the addresses of exports
	Fields    []draftField // that it is filtered by
	Results   []shipments.Result
	Tabs      []pages.Tab
	Columns   []column
	Rows      []row
	Pages     pages.Pager
	Total     string
	Unsorted  bool // too many were found to be sorted
	Create    bool // the person may
	Templates bool // the person may see them
	Bulk      bool // the person may approve some of the rows together
	Empty     bool // the organization has no shipments at all
}

// column is a heading of the list.
type column struct {
	Text, Class string
	By, To      string // what the list is sorted by, and its address then; "": it is not
	Sorted      string // ascending or descending; "": by something else
}

// row is a shipment in the list.
type row struct {
	shipments.Shipment
	shipments.Tally
}

// Clean reports whether the shipment waits for a review, and no check found anything.
func (r row) Clean() bool {
	return r.Status == shipments.ReadyForReview && r.Pass > 0 && r.Fail+r.Warn == 0
}

// filter returns the filter of the query. A value that is none of its parameter's is a *query.Error: without it the
// list, and its export, would have more than was asked for.
func (v *visit) filter() (shipments.Filter, error) {
	p := query.Read(v.Request)
	f := transport.ReadFilter(p)
	f.CreatedAfter, f.CreatedBefore = p.Day("from", -time.Millisecond), p.Day("until", 24*time.Hour)
	return f, p.ErrOfRead()
}

// filterNames are the parameters of filters other than the status, in the order in which people read them.
var filterNames = func() []string {
	names := []string{"q"}
	for _, t := range shipments.FilterFields {
		names = append(names, t.Name)
	}
	return append(names, "check_result", "from", "until")
}()

// sorted returns the order of the query: a name, or one after a minus.
func (v *visit) sorted() shipments.Sort {
	by, reverse := strings.CutPrefix(v.URL.Query().Get("sort"), "-")
	if !slices.Contains(shipments.Sorts, by) {
		return shipments.Sort{}
	}
	return shipments.Sort{By: by, Reverse: reverse}
}

// list shows the shipments that meet the filters. Where they are too many to be sorted it says so.
func (s *site) list(ctx context.Context, v *visit) (answer, error) {
	typed := v.URL.Query()
	filter, err := v.filter()
	if err != nil {
		return answer{}, err
	}
	p := listPage{
		Ways: v.ways(), Filter: filter, Query: typed, Fields: fieldsOf(filter.Texts, shipments.FilterFields),
		Results: shipments.Results, Create: v.may("POST /api/v1/shipments"),
		Templates: v.may("GET /api/v1/mapping_templates"),
	}
	number := pages.Number(typed)
	q := shipments.Query{Filter: filter, Sort: v.sorted(), Page: int64(number), PerPage: perPage}
	found, err := s.Service.List(ctx, v.org, q)
	if p.Unsorted = q.Sort != (shipments.Sort{}) && errors.Is(err, shipments.ErrTooBroad); p.Unsorted {
		q.Sort = shipments.Sort{}
		found, err = s.Service.List(ctx, v.org, q)
	}
	if err == nil {
		p.Rows, err = s.rows(ctx, v, found.Elements)
	}
	if err != nil {
		return answer{}, err
	}
	p.Bulk = v.may("POST /api/v1/shipments/{id}/approve") && slices.ContainsFunc(p.Rows, row.Clean)
	p.Pages, p.Total = pages.Around(v.URL, number, perPage, int(found.Total)), list.Figure(int(found.Total))
	if found.Total == shipments.MaxMatches && q.Sort != (shipments.Sort{}) { // of more it has the first ones
		p.Total += "+"
	}
	p.Columns, p.Chips = columns(v, q.Sort), chips(v)
	p.Clear = v.with(v.list(), "", "", filterNames...)
	p.XLSX, p.CSV = v.with(v.path("export.xlsx"), "", ""), v.with(v.path("export.csv"), "", "")
	if err = s.countTabs(ctx, v, &p); err != nil {
		return answer{}, err
	}
	return page("list", "Shipments", p), nil
}

// rows returns shipments with what their checks found.
func (s *site) rows(ctx context.Context, v *visit, all []shipments.Shipment) (rows []row, err error) {
	var ids []shipments.ID
	for _, one := range all {
		ids = append(ids, one.ID)
	}
	tallies, err := s.Service.Tallies(ctx, v.org, ids)
	for _, one := range all {
		rows = append(rows, row{one, tallies[one.ID]})
	}
	return rows, err
}

// countTabs adds a tab for each status, which keeps the other filters. Without these it has the number of shipments.
func (s *site) countTabs(ctx context.Context, v *visit, p *listPage) error {
	p.Tabs = tabs(v, v.list(), shipments.Statuses, p.Status)
	for i, status := range append([]shipments.Status{""}, shipments.Statuses...) {
		if p.Chips != nil && status != "" {
			continue
		}
		counted, err := s.Service.List(ctx, v.org, shipments.Query{Filter: shipments.Filter{Status: status}, PerPage: 1})
		if err != nil {
			return err
		}
		if p.Chips == nil {
			p.Tabs[i].Count = list.Figure(int(counted.Total))
		}
		p.Empty = p.Empty || status == "" && counted.Total == 0
	}
	return nil
}

// with returns an address with the parameters of this one, but for some and those of a position, and with another value
// of one.
func (v *visit) with(path, name, value string, without ...string) string {
	query := v.URL.Query()
	for _, gone := range append(without, "page", "before", "done") {
		query.Del(gone)
	}
	if query.Set(name, value); value == "" {
		query.Del(name)
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

// chips returns the filters of the address, each with the address without it.
func chips(v *visit) (all []pages.Link) {
	for _, name := range filterNames {
		text, heading := v.URL.Query().Get(name), label(name)
		switch name {
		case "q":
			heading = "Search"
		case "check_result":
			text = words(text)
		}
		if text != "" {
			all = append(all, pages.Link{Text: heading + ": " + text, To: v.with(v.list(), name, "")})
		}
	}
	return all
}

// columns are the headings of the list in an order.
func columns(v *visit, current shipments.Sort) []column {
	all := []column{
		{Text: "Reference", By: "reference"},
		{Text: "Status"},
		{Text: "Checks"},
		{Text: "Vessel", By: "vessel"},
		{Text: "From → to", By: "destination"},
		{Text: "Pallets", Class: "number"},
		{Text: "Created", By: "created"},
	}
	for i := range all {
		c := &all[i]
		by := c.By
		if by != "" && by == current.By {
			c.Sorted = "descending"
			if !current.Reverse {
				c.Sorted, by = "ascending", "-"+by
			}
		}
		c.To = v.with(v.list(), "sort", by)
	}
	return all
}

// tabs returns a tab for all things and one for each status, at an address that keeps the other parameters.
func tabs[Status ~string](v *visit, path string, statuses []Status, current Status) []pages.Tab {
	all := []pages.Tab{{Link: pages.Link{Text: "All", To: v.with(path, "status", ""), Current: current == ""}}}
	for _, status := range statuses {
		all = append(all, pages.Tab{Link: pages.Link{
			Text: words(status), To: v.with(path, "status", string(status)), Current: status == current,
		}})
	}
	return all
}
