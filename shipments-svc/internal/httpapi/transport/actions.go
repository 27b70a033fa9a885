package transport

import (
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/jsonbody"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// mergePatch is the media type of RFC 7396.
const mergePatch = "application/merge-patch+json"

// shipmentBody is a body with one shipment, as an operation shows it.
type shipmentBody[View any] struct {
	Shipment View `json:"shipment"`
}

// decodeOrder reads what every action on a shipment has besides its body.
func decodeOrder(r *http.Request) (shipments.Order, error) {
	if err := noParameters(r); err != nil {
		return shipments.Order{}, err
	}
	id, err := shipmentID(r)
	return shipments.Order{ID: id, By: by(r), Expects: expects(r)}, err
}

func decodeUpdate(r *http.Request) (shipments.Edit, error) {
	order, err := decodeOrder(r)
	if err != nil {
		return shipments.Edit{}, err
	}
	body, err := readJSON(r, jsonMedia, mergePatch)
	if err != nil {
		return shipments.Edit{}, err
	}
	shipment := body.Object().Object("shipment")
	edit := shipments.NewEdit(order, shipment.OptionalText)
	return edit, invalid(faultsOf(body), "/shipment", edit.Faults())
}

func decodeApprove(r *http.Request) (shipments.Approval, error) {
	order, err := decodeOrder(r)
	if err != nil || r.ContentLength == 0 { // there need not be a body
		return shipments.Approval{Order: order}, err
	}
	body, err := readJSON(r, jsonMedia)
	if err != nil {
		return shipments.Approval{}, err
	}
	approval := shipments.Approval{Order: order, Override: body.Object().OptionalText("override_reason")}
	return approval, invalid(faultsOf(body), "", approval.Faults())
}

func decodeReject(r *http.Request) (shipments.Rejection, error) {
	order, err := decodeOrder(r)
	if err != nil {
		return shipments.Rejection{}, err
	}
	var body *jsonbody.Body
	if body, err = readJSON(r, jsonMedia); err != nil {
		return shipments.Rejection{}, err
	}
	rejection := shipments.Rejection{Order: order, Reason: body.Object().Text("reason")}
	return rejection, invalid(faultsOf(body), "", rejection.Faults())
}

func encodeShipment(_ *http.Request, s shipments.Shipment) reply {
	return reply{status: http.StatusOK, header: http.Header{"Etag": {tagOf(s.Version)}}, body: shipmentBody[itemView]{viewItem(s)}}
}

func encodeDelete(*http.Request, struct{}) reply {
	return reply{status: http.StatusNoContent}
}
