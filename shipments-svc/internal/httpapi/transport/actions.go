package transport

import (
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/api/precondition"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// decodeOrder reads what every action on a shipment has besides its body.
func decodeOrder(r *http.Request) (shipments.Order, error) {
	id, err := ShipmentIDs.decode(r)
	order := shipments.Order{ID: id, By: callerOf(r.Context()).actor}
	if r.Header["If-Match"] != nil || r.Header["If-None-Match"] != nil {
		order.Expects = func(version int64) bool { return precondition.Failed(r, tagsOf(version)...) == 0 }
	}
	return order, err
}

func decodeUpdate(r *http.Request) (shipments.Edit, error) {
	order, err := decodeOrder(r)
	return decodeJSON(r, err, "/shipment", func(o *jsonbody.Object) shipments.Edit {
		texts := o.Object("shipment")
		return shipments.NewEdit(order, func(t shipments.TextField) *string {
			if t.Optional && texts.Null(t.Name) {
				return new("")
			}
			return texts.OptionalText(t.Name)
		})
	}, shipments.Edit.Faults, mergePatch)
}

func decodeApprove(r *http.Request) (shipments.Approval, error) {
	order, err := decodeOrder(r)
	if err != nil || r.ContentLength == 0 { // there need not be a body
		return shipments.Approval{Order: order}, err
	}
	return decodeJSON(r, nil, "", func(o *jsonbody.Object) shipments.Approval {
		return shipments.Approval{Order: order, Override: o.OptionalText("override_reason")}
	}, shipments.Approval.Faults)
}

func decodeReject(r *http.Request) (shipments.Rejection, error) {
	order, err := decodeOrder(r)
	return decodeJSON(r, err, "", func(o *jsonbody.Object) shipments.Rejection {
		return shipments.Rejection{Order: order, Reason: o.Text("reason")}
	}, shipments.Rejection.Faults)
}

func encodeShipment(r *http.Request, s shipments.Shipment) reply {
	re := shown(http.StatusOK, "shipment", viewItem)(r, s)
	re.header = http.Header{"Etag": {tag(s.Version, 0, may(r, ReadDocuments))}}
	return re
}

func encodeDelete(*http.Request, struct{}) reply {
	return reply{status: http.StatusNoContent}
}
