package transport

import (
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

type createdView struct {
	ID        string           `json:"id"`
	Reference string           `json:"reference"`
	Status    shipments.Status `json:"status"`
	CreatedAt string           `json:"created_at"`
	UpdatedAt string           `json:"updated_at"`
}

func decodeCreate(r *http.Request) (shipments.Creation, error) {
	return decodeJSON(r, query.Read(r).Err(), "/shipment", func(o *jsonbody.Object) shipments.Creation {
		return shipments.Creation{
			Draft: shipments.NewDraft(o.Object("shipment").Text),
			By:    callerOf(r.Context()).actor,
		}
	}, shipments.Creation.Faults)
}

func encodeCreate(r *http.Request, s shipments.Shipment) reply {
	id := ShipmentIDs.Format(s.ID)
	return reply{
		status: http.StatusCreated,
		header: http.Header{"Location": {canonicalPath(r) + "/" + id}, "Etag": {tag(s.Version, 0, may(r, ReadDocuments))}},
		body:   map[string]createdView{"shipment": {id, s.Reference, s.Status, viewTime(s.CreatedAt), viewTime(s.UpdatedAt)}},
	}
}
