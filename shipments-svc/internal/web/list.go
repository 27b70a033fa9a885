package web

import (
	"context"
	"net/url"
	"slices"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// perPage is how many shipments a list shows at a time.
const perPage = 50

// listPage is the data of the list.
type listPage struct {
	Tabs      []statusTab
	Status    shipments.Status
	Reference string
	Rows      []row
	Pages     pages.Pager
	Create    bool  // the person may
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

func (s *site) list(ctx context.Context, v *visit) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	query := v.URL.Query()
	p := listPage{
		Status: shipments.Status(query.Get("status")), Reference: jsonbody.Normal(query.Get("reference")),
		Create: v.may("POST /api/v1/shipments"),
	}
	filter := shipments.Filter{Status: p.Status, Reference: p.Reference}
	page1 := pages.Number(query)
	found, err := s.Service.List(ctx, v.org, shipments.Query{Filter: filter, Page: int64(page1), PerPage: perPage})
	if err != nil {
		return answer{}, err
	}
	for _, one := range found.Shipments {
		p.Rows = append(p.Rows, row{one, v.path(transport.FormatID(one.ID))})
	}
	p.Pages = pages.Around(v.URL, page1, perPage, int(found.Total))
	if p.Tabs, err = s.tabs(ctx, v, p); err != nil {
		return answer{}, err
	}
	p.Empty = p.Tabs[0].Count == 0
	if i := slices.Index(shipments.Statuses, shipments.ReadyForReview); v.may("POST /api/v1/shipments/{id}/approve") {
		p.Waiting = p.Tabs[1+i].Count
	}
	return page("list", "Shipments", p), nil
}

// tabs returns a tab for all shipments and one for each status.
func (s *site) tabs(ctx context.Context, v *visit, p listPage) ([]statusTab, error) {
	var tabs []statusTab
	for _, status := range append([]shipments.Status{""}, shipments.Statuses...) {
		found, err := s.Service.List(ctx, v.org, shipments.Query{Filter: shipments.Filter{Status: status}, PerPage: 1})
		if err != nil {
			return nil, err
		}
		tab := statusTab{Text: "All", To: v.path(), Count: found.Total, Current: p.Status == status}
		if status != "" {
			tab.Text, tab.To = words(status), v.path()+"?"+url.Values{"status": {string(status)}}.Encode()
		}
		tabs = append(tabs, tab)
	}
	return tabs, nil
}
