package transport_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func TestListOfNothingIsEmptyNotNull(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	res := a.do(t, call{})
	res.wants(t, http.StatusOK, "")
	const want = `{"shipments":[],"meta":{"page":1,"per_page":25,"total":0}}` + "\n"
	if string(res.body) != want {
		t.Errorf("%s, want %s", res.body, want)
	}
	const path = "</api/v1/shipments?page=1&per_page=25>"
	if link := res.header.Get("Link"); link != path+`; rel="first", `+path+`; rel="last"` {
		t.Errorf("Link is %s", link)
	}
}

func TestListShowsExactlyTheseFields(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	approved := newShipment(shipments.Approved, noon.Add(7*time.Millisecond))
	approved.Reference = "<PO> & Ω"
	a.load(
		t,
		shipments.Detail{
			Shipment: approved,
			Pallets:  []shipments.Pallet{{Number: "1", ProduceName: "Plum", Calibre: "A", Boxes: 1, BoxWeight: 1}},
		},
		shipments.Detail{Shipment: newShipment(shipments.Rejected, noon)},
	)
	got := a.list(t, "").Shipments
	want := map[string]any{
		"id": got[0]["id"], "reference": "<PO> & Ω", "status": "approved", "vessel": "MSC Carmen",
		"origin": "Valparaíso, Chile", "destination": "Łódź \U0001F34A", "pallets_count": 1.0,
		"created_at": "2026-11-20T12:00:00.007Z", "updated_at": "2026-11-20T13:00:00.007Z",
		"approved_at": "2026-11-20T13:00:00.007Z",
	}
	if fmt.Sprint(got[0]) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got[0], want)
	}
	if _, ok := got[1]["approved_at"]; ok || len(got[1]) != len(want)-1 {
		t.Errorf("a rejected shipment is shown as %v", got[1])
	}
}

// TestListIsNewestFirstAndLinksWalkIt follows rel="next" from the first page
// to the last, and rel="prev" back.
func TestListIsNewestFirstAndLinksWalkIt(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	var all []shipments.Detail
	for i := range 23 {
		d := shipments.Detail{
			Shipment: newShipment(shipments.Statuses[i%2], noon.Add(time.Duration(i/3)*9*time.Hour)),
		}
		all = append(all, d)
	}
	a.load(t, all...)
	for query, want := range map[string]int{
		"?per_page=4": 23, "?per_page=4&status=pending": 12,
		"?per_page=4&status=": 23,
	} {
		forth := a.walk(t, query, "next")
		if len(forth) != want {
			t.Errorf("%s: %d shipments, want %d", query, len(forth), want)
		}
		if !slices.IsSortedFunc(forth, func(x, y map[string]any) int {
			return strings.Compare(fmt.Sprint(y["created_at"], y["id"]), fmt.Sprint(x["created_at"], x["id"]))
		}) {
			t.Errorf("%s: not in order: %v", query, forth)
		}
		last := links(t, a.do(t, call{path: query}))["last"]
		back := a.walk(t, strings.TrimPrefix(last, collection), "prev")
		if len(back) != want {
			t.Errorf("%s: %d shipments on the way back, want %d", query, len(back), want)
		}
	}
	past := links(t, a.do(t, call{path: "?page=999&per_page=4"}))
	if past["prev"] != collection+"?page=6&per_page=4" || past["next"] != "" {
		t.Errorf("past the end the links are %v", past)
	}
}

func (a *api) walk(t *testing.T, query, rel string) []map[string]any {
	t.Helper()
	var all []map[string]any
	for path := collection + query; path != ""; {
		res := a.do(t, call{path: path})
		var p page
		decode(t, res.body, &p)
		all = append(all, p.Shipments...)
		path = links(t, res)[rel]
	}
	return all
}

func links(t *testing.T, res answer) map[string]string {
	t.Helper()
	all := map[string]string{}
	for link := range strings.SplitSeq(res.header.Get("Link"), ", ") {
		target, rel, ok := strings.Cut(strings.TrimPrefix(link, "<"), `>; rel="`)
		if _, err := url.Parse(target); err != nil || !ok {
			t.Fatalf("Link %q", link)
		}
		all[strings.TrimSuffix(rel, `"`)] = target
	}
	return all
}

func TestHeadIsGetWithoutABody(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	id := a.create(t)
	for _, path := range []string{"", collection + "/" + id, "/api/v1/openapi.json"} {
		get, head := a.do(t, call{path: path}), a.do(t, call{method: http.MethodHead, path: path})
		if head.status != http.StatusOK || len(head.body) != 0 {
			t.Errorf("HEAD %s: %d with %d bytes", path, head.status, len(head.body))
		}
		for _, name := range []string{"Content-Length", "Content-Type", "Link", "ETag"} {
			if get.header.Get(name) != head.header.Get(name) {
				t.Errorf("HEAD %s: %s is %q, want %q", path, name, head.header.Get(name), get.header.Get(name))
			}
		}
	}
}
