package transport_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
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

// TestGetHasTheseStatuses. An id that is another organization's, unknown or malformed gives the same answer, and the
// media type of a body that is not there, which the customer's document has every request carry, is ignored.
func TestGetHasTheseStatuses(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path, theirs := collection+"/"+a.create(t), a.as(publicid.New("org")).create(t)
	tag := a.do(t, call{path: path}).header.Get("ETag")
	get, unknown := call{path: path}, status{call: call{path: nothing}, says: "404 not_found"}
	unknown.has = `"detail":"There is no such shipment."`
	all := map[string]status{
		"the tag":             {get.with("If-None-Match", tag), "304", ""},
		"another tag":         {get.with("If-None-Match", version(2)), "200", ""},
		"expected and known":  {get.with("If-Match", tag).with("If-None-Match", tag), "304", ""},
		"expected":            {get.with("If-Match", tag), "200", ""},
		"expected another":    {get.with("If-Match", version(2)), "412 etag_mismatch", ""},
		"another, and known":  {get.with("If-Match", version(2)).with("If-None-Match", tag), "412 etag_mismatch", ""},
		"by a date":           {get.with("If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT"), "200", ""},
		"a type":              {get.with("Content-Type", "application/json"), "200", ""},
		"another type":        {get.with("Content-Type", "no type"), "200", ""},
		"expected of nothing": {call{path: nothing}.with("If-Match", tag), "404 not_found", ""},
		"another collection":  {call{path: "/api/v2/shipments"}, "404 not_found", ""},
	}
	for _, id := range []string{
		theirs, publicid.New("ship"), strings.ToUpper(theirs), "doc" + strings.TrimPrefix(theirs, "ship"), "1",
		"'%20OR%201=1--", "%ff", "a%2Fb", strings.Repeat("x", 4000),
	} {
		unknown.path = collection + "/" + id
		all[id] = unknown
	}
	a.answers(t, all)
	known := call{method: http.MethodHead, path: path, header: http.Header{"If-None-Match": {tag}}}
	if res := a.do(t, known); res.status != http.StatusNotModified || res.header.Get("ETag") != tag ||
		res.header.Get("Content-Type") != "" {
		t.Errorf("HEAD: %d, %v", res.status, res.header)
	}
}

// TestARepresentationHasATagOfItsOwn: another version, and what a token may not see, or was not begun, must not hide
// what it sees later. An action may name any of a version.
func TestARepresentationHasATagOfItsOwn(t *testing.T) {
	t.Parallel()
	created := newAPI(t)
	path := collection + "/" + created.create(t)
	seen := map[string]bool{}
	for _, status := range []shipments.DocumentStatus{shipments.Queued, shipments.BeingRead} {
		for _, permissions := range []string{"shipments:read", "shipments:read documents:read"} {
			detail := shipments.Detail{Shipment: newShipment(shipments.Processing, noon), Documents: []shipments.Document{
				{Type: shipments.PackingList, Status: status, CreatedAt: noon},
			}}
			get := call{path: collection + "/ship_00000000000000000000000001", permissions: &permissions}
			for detail.Version = range int64(2) {
				a := newAPIOf(t, fakeService(fakeRepository{detail: &detail}))
				tag := a.do(t, get).header.Get("ETag")
				seen[tag] = true
				a.do(t, get.with("If-None-Match", tag)).wants(t, http.StatusNotModified, "")
				if detail.Version == 1 {
					created.do(t, patch(path, `{"shipment":{}}`).with("If-Match", tag)).wants(t, http.StatusOK, "")
				}
			}
		}
	}
	if len(seen) != 8 {
		t.Errorf("the tags are %v", seen)
	}
}

// TestWaitingGetReturnsTheChange, and not before.
func TestWaitingGetReturnsTheChange(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := a.loaded(t, shipments.ReadyForReview)
	answered := make(chan answer)
	go func() {
		known := call{path: path}.with("If-None-Match", version(1))
		res, err := a.send(t.Context(), known.with("Prefer", `respond-async, Wait="20";x`))
		if err != nil {
			t.Error(err)
		}
		answered <- res
	}()
	a.do(t, approve(path)).wants(t, http.StatusOK, "")
	res := <-answered
	if s := res.shipment(t); s["status"] != "approved" || res.header.Get("ETag") != version(2) ||
		res.took > 18*time.Second || res.header.Get("Preference-Applied") != "wait=20" {
		t.Errorf("after %s: %s, %v", res.took, res.body, res.header)
	}
	over := a.do(t, call{path: path}.with("Prefer", "wait=1").with("If-None-Match", version(2)))
	if over.wants(t, http.StatusNotModified, ""); over.header.Get("Preference-Applied") != "wait=1" {
		t.Errorf("%v", over.header)
	}
}

// TestPalletsOfALargeShipmentAreCutAndPaged: the body says that they are cut, and the pages have all.
func TestPalletsOfALargeShipmentAreCutAndPaged(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.works(t)
	path := collection + "/" + a.create(t)
	const pallets = 9_000 // of two lines each
	a.do(t, file(path, "packing_list", "l.csv", strings.Repeat("P-1\n", pallets))).wants(t, http.StatusCreated, "")
	shown := a.until(t, path, "ready_for_review")
	var got struct {
		Shipment struct {
			Count   int `json:"pallets_count"`
			Pallets []json.RawMessage
			More    struct {
				Lines, Total int
				Next         string
			} `json:"more_pallets"`
		}
	}
	if err := json.Unmarshal(shown.body, &got); err != nil {
		t.Fatal(err)
	}
	if s := got.Shipment; s.Count != pallets || len(s.Pallets) != 500 ||
		s.More.Lines != 1000 || s.More.Total != 2*pallets ||
		s.More.Next != path+"/pallets?page=2&per_page=1000" {
		t.Errorf("%d of %d pallets, %+v", len(s.Pallets), s.Count, s.More)
	}
	page := a.do(t, call{path: path + "/pallets?page=18&per_page=5001"}) // 5001 is taken as 1000
	page.has(t, `"pallet_number":"P-1"`, `"lines":2`, `"meta":{"page":18,"per_page":1000,"total":18000}`)
	link := page.header.Get("Link")
	if n := strings.Count(string(page.body), `"lines":2`); n != 500 || strings.Contains(link, `"next"`) {
		t.Errorf("%d pallets, Link %s", n, link)
	}
}
