package transport

import (
	"fmt"
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/api/query"
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

func decodeList(r *http.Request) (shipments.Query, error) {
	p := query.Read(r)
	var q shipments.Query
	q.Page, q.PerPage = p.Page(shipments.MaxPerPage)
	q.Status = query.OneOf(p, "status", shipments.Statuses)
	reference, given := p.Text("reference")
	q.Reference = jsonbody.Normal(reference) // as it is stored
	if given && shipments.TextFaults("", "reference", q.Reference, shipments.MaxReference) != nil {
		p.Fault("reference", fmt.Sprintf(
			"reference must be valid UTF-8 of 1 to %d characters, not all blank, without control characters and "+
				"characters that change the direction of text",
			shipments.MaxReference,
		))
	}
	q.CheckResult = query.OneOf(p, "check_result", shipments.Results)
	q.CreatedAfter, q.CreatedBefore = p.Time("created_after"), p.Time("created_before")
	return q, p.Err()
}

var encodeList = paged(func(page shipments.Page[shipments.Shipment]) (shipments.Paging, any) {
	return page.Paging, listView{each(page.Elements, viewItem), metaView(page.Paging)}
})
