package transport

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/quayside/quayside/gateway/servicekit/api/precondition"
	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/endpoints"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// decodeShipmentID reads a request that is the id in its path.
func decodeShipmentID(r *http.Request) (shipments.ID, error) {
	if err := query.Read(r).Err(); err != nil {
		return shipments.ID{}, err
	}
	return ShipmentID(r.PathValue("id"))
}

func decodeGet(r *http.Request) (shipments.GetQuery, error) {
	id, err := decodeShipmentID(r)
	look := shipments.GetQuery{ID: id, Wait: preferredWait(r)}
	if r.Header.Values("If-None-Match") != nil {
		look.Known = func(version int64) bool { return precondition.Failed(r, tagOf(version)) == http.StatusNotModified }
	}
	return look, err
}

// encodeGet shows a shipment, with the content of its documents only for tokens
// that may read documents.
func encodeGet(r *http.Request, found shipments.GetResult) reply {
	header := http.Header{"Etag": {tagOf(found.Version)}}
	if found.Waited {
		header.Set("Preference-Applied", "wait="+strconv.Itoa(int(preferredWait(r).Seconds())))
	}
	view := viewDetail(found.Detail)
	if !slices.Contains(callerOf(r.Context()).Permissions, string(endpoints.Facts)) {
		for i := range view.Documents {
			view.Documents[i].Facts, view.Documents[i].Remarks = nil, nil
		}
	}
	return reply{status: http.StatusOK, header: header, body: map[string]detailView{"shipment": view}}
}
