package transport_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func TestGetShowsTheShipmentWithItsParts(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	s := newShipment(shipments.Approved, noon)
	s.ID = shipments.ID{15: 1}
	s.Reference = "PO-2026-0042"
	a.load(t, shipments.Detail{
		Shipment: s,
		Pallets: []shipments.Pallet{
			{Number: "P-002", ProduceName: "Avocado Hass", Calibre: "18", Boxes: 264, BoxWeight: 4000},
			{Number: "P-001", ProduceName: "Orange Valencia", Calibre: "75-80 mm", Boxes: 80, BoxWeight: 15125},
			{Number: "P-001", ProduceName: "Plum Songold", Calibre: "AA", Boxes: 1, BoxWeight: 1},
		},
		Checks: []shipments.Check{
			{Name: "duplicate_pallets", Result: shipments.Fail, Details: "P-001 occurs twice."},
			{Name: "required_fields", Result: shipments.Pass, Details: "All 3 pallets have every field."},
		},
	})
	res := a.do(t, call{path: collection + "/ship_00000000000000000000000001"})
	res.wants(t, http.StatusOK, "")
	const want = `{"shipment":{"id":"ship_00000000000000000000000001","reference":"PO-2026-0042","status":"approved",` +
		`"vessel":"MSC Carmen","origin":"Valparaíso, Chile","destination":"Łódź 🍊","pallets_count":3,` +
		`"created_at":"2026-11-20T12:00:00.000Z","updated_at":"2026-11-20T13:00:00.000Z",` +
		`"approved_at":"2026-11-20T13:00:00.000Z","pallets":[` +
		`{"pallet_number":"P-002","produce_name":"Avocado Hass","calibre":"18","boxes":264,"box_weight_kg":4},` +
		`{"pallet_number":"P-001","produce_name":"Orange Valencia","calibre":"75-80 mm","boxes":80,"box_weight_kg":15.125},` +
		`{"pallet_number":"P-001","produce_name":"Plum Songold","calibre":"AA","boxes":1,"box_weight_kg":0.001}],"checks":[` +
		`{"name":"duplicate_pallets","result":"fail","details":"P-001 occurs twice.","count":0,"locations":[]},` +
		`{"name":"required_fields","result":"pass","details":"All 3 pallets have every ` +
		`field.","count":0,"locations":[]}],"documents":[]}}` + "\n"
	if string(res.body) != want {
		t.Errorf("got  %s\nwant %s", res.body, want)
	}
}

func TestGetOfAShipmentWithoutPartsHasEmptyLists(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	id := a.create(t)
	res := a.do(t, call{path: collection + "/" + id})
	res.wants(t, http.StatusOK, "")
	var got struct{ Shipment map[string]any }
	decode(t, res.body, &got)
	for _, name := range []string{"pallets", "checks", "documents"} {
		if list, ok := got.Shipment[name].([]any); !ok || len(list) != 0 {
			t.Errorf("%s is %v, want []", name, got.Shipment[name])
		}
	}
	if _, ok := got.Shipment["approved_at"]; ok || len(got.Shipment) != 12 {
		t.Errorf("%v", got.Shipment)
	}
	if _, err := time.Parse("2006-01-02T15:04:05.000Z", got.Shipment["created_at"].(string)); err != nil {
		t.Error(err)
	}
}

// TestGetNeedsNoContentType: the customer's document has every request carry
// Content-Type; a GET without one, or with another, is answered alike.
func TestGetNeedsNoContentType(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	id := a.create(t)
	for _, contentType := range [][]string{nil, {"application/json"}, {"text/plain"}, {"no type"}} {
		a.do(t, call{path: collection + "/" + id, header: http.Header{"Content-Type": contentType}}).
			wants(t, http.StatusOK, "")
	}
}
