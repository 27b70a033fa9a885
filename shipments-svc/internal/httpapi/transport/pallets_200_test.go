package transport_test

import (
	"encoding/json"
	"net/http"
	"strconv"
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
	seen := 0
	for next := path + "/pallets?per_page=5001"; next != ""; { // 5001 is taken as 1000
		res := a.do(t, call{path: next})
		res.wants(t, http.StatusOK, "")
		var page struct {
			Pallets []struct{ Lines int }
			Meta    struct{ Total int }
		}
		if err := json.Unmarshal(res.body, &page); err != nil || page.Meta.Total != 2*pallets {
			t.Fatalf("%v: %+v", err, page.Meta)
		}
		seen += len(page.Pallets)
		next = ""
		for link := range strings.SplitSeq(res.header.Get("Link"), ", ") {
			if at, ok := strings.CutSuffix(link, `>; rel="next"`); ok {
				next = strings.TrimPrefix(at, "<")
			}
		}
	}
	if seen != pallets {
		t.Errorf("%s of %s pallets were paged", strconv.Itoa(seen), strconv.Itoa(pallets))
	}
}
