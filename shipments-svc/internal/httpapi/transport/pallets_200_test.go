package transport_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

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
