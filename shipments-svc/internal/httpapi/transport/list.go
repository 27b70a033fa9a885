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
	p := readParameters(r)
	var q shipments.Query
	q.Page, q.PerPage = p.paging()
	q.Filter = shipments.Filter{
		Status:        query.OneOf(p.Parameters, "status", shipments.Statuses),
		Reference:     reference(p),
		CheckResult:   query.OneOf(p.Parameters, "check_result", shipments.Results),
		CreatedAfter:  p.Time("created_after"),
		CreatedBefore: p.Time("created_before"),
	}
	return q, p.Err()
}

// reference reads the reference by which a list is filtered, in the form in which it
// is stored.
func reference(p parameters) string {
	text, given := p.Text("reference")
	text = jsonbody.Normal(text)
	if given && shipments.TextFaults("", "reference", text, shipments.MaxReference) != nil {
		p.Fault("reference", fmt.Sprintf(
			"reference must be valid UTF-8 of 1 to %d characters, not all blank, without control characters and "+
				"characters that change the direction of text",
			shipments.MaxReference,
		))
	}
	return text
}

func encodeList(r *http.Request, page shipments.Page) reply {
	view := listView{each(page.Shipments, viewItem), metaView(page.Paging)}
	return reply{status: http.StatusOK, header: http.Header{"Link": {query.PageLinks(r.URL, page.Page, page.PerPage, page.Total)}}, body: view}
}
