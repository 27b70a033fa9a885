package transport_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func TestListOfNothingIsEmptyNotNull(t *testing.T) {
	t.Parallel()
	res := newAPI(t).do(t, call{})
	const want = `{"shipments":[],"meta":{"page":1,"per_page":25,"total":0}}` + "\n"
	const path = "</api/v1/shipments?page=1&per_page=25>"
	if link := res.header.Get("Link"); string(res.body) != want || link != path+`; rel="first", `+path+`; rel="last"` {
		t.Errorf("%s, Link %s, want %s", res.body, link, want)
	}
}

func TestListShowsExactlyTheseFields(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	approved := newShipment(shipments.Approved, noon.Add(7*time.Millisecond))
	approved.Reference = "<PO> & Ω"
	pallets := []shipments.Pallet{{Number: "1", ProduceName: "Plum", Calibre: "A", Boxes: 1, BoxWeight: 1}}
	a.load(t, shipments.Detail{Shipment: approved, Pallets: pallets},
		shipments.Detail{Shipment: newShipment(shipments.Rejected, noon)})
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
		created := noon.Add(time.Duration(i/3) * 9 * time.Hour)
		all = append(all, shipments.Detail{Shipment: newShipment(shipments.Statuses[i%2], created)})
	}
	a.load(t, all...)
	for query, want := range map[string]int{
		"?per_page=4": 23, "?per_page=4&status=pending": 12, "?per_page=4&status=": 23,
	} {
		forth := a.walk(t, query, "next")
		if len(forth) != want || !slices.IsSortedFunc(forth, func(x, y map[string]any) int {
			return strings.Compare(fmt.Sprint(y["created_at"], y["id"]), fmt.Sprint(x["created_at"], x["id"]))
		}) {
			t.Errorf("%s: %d shipments, want %d in order: %v", query, len(forth), want, forth)
		}
		last := links(t, a.do(t, call{path: query}))["last"]
		if back := a.walk(t, strings.TrimPrefix(last, collection), "prev"); len(back) != want {
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
	for _, path := range []string{"", collection + "/" + a.create(t), "/api/v1/openapi.json"} {
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

func TestListRefusesParametersAndSaysWhatIsAllowed(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	const statusIs = "status must be one of pending, processing, ready_for_review, approved, rejected"
	const resultIs = "check_result must be one of pass, warn, fail, skip"
	const timeIs = " must be an RFC 3339 time such as 2026-11-20T14:03:52.123Z or 2026-11-20T16:03:52%2B02:00, where " +
		"%2B is a +"
	pageIs := " must be a whole number from 1 to 9223372036854775807"
	textIs := func(name string, least, most int) string {
		return fmt.Sprintf("%s must be valid UTF-8 of %d to %d characters, not all blank, without control characters and "+
			"characters that change the direction of text", name, least, most)
	}
	known := "there is page, per_page, status, "
	for _, text := range shipments.FilterFields {
		known += text.Name + ", "
	}
	known += "q, check_result, created_after, created_before, updated_after"
	invalid := func(name, detail string) problem.Field {
		return problem.Field{Code: "invalid_parameter", Parameter: name, Detail: detail}
	}
	unknown := problem.Field{
		Code: "unknown_parameter", Parameter: "x", Detail: `there is no parameter "x"; ` + known,
	}
	tests := map[string][]problem.Field{
		"?page=%zz":  nil, // not well-formed
		"?x=1":       {unknown},
		"?q=ab":      {invalid("q", "q must have at least 3 characters")},
		"?q=++++":    {invalid("q", textIs("q", 3, 100))},
		"?q=abc%07":  {invalid("q", textIs("q", 3, 100))},
		"?per_page=": {},
		"?page=0&per_page=ten&x=1&status=Pending": {
			invalid("page", "page"+pageIs), invalid("per_page", "per_page"+pageIs+"; more than 100 counts as 100"),
			invalid("status", statusIs), unknown,
		},
		"?created_before=x&created_after=2026-11-20&check_result=z": {
			invalid("check_result", resultIs), invalid("created_after", "created_after"+timeIs),
			invalid("created_before", "created_before"+timeIs),
		},
	}
	for _, text := range shipments.FilterFields {
		for _, value := range []string{strings.Repeat("%C3%A9", text.Max+1), "a%0Ab", "%FF", "+%E2%80%8B"} {
			tests["?"+text.Name+"="+value] = []problem.Field{invalid(text.Name, textIs(text.Name, 1, text.Max))}
		}
	}
	for query, want := range tests {
		res := a.do(t, call{path: query})
		if want != nil && len(want) == 0 {
			res.wants(t, http.StatusOK, "")
			continue
		}
		code := "invalid_parameter"
		if len(want) == 1 {
			code = want[0].Code
		}
		p := res.problem(t, http.StatusBadRequest, code)
		if !slices.Equal(p.Errors, want) || p.Instance != collection || p.Type != "/problems/"+code ||
			!strings.HasPrefix(p.RequestID, "req_") {
			t.Errorf("%s: %+v, want %+v", query, p, want)
		}
	}
}

// FuzzListQuery: whatever the query, the answer is described and no fault of
// the service.
func FuzzListQuery(f *testing.F) {
	for _, seed := range []string{
		"page=1&per_page=2", "status=approved", "page=%zz", "page=1;x", "%00=\xff", strings.Repeat("a=1&", 100),
		"reference=%C3%A9%00", "reference=+&check_result=fail", "created_after=2026-11-20T14:03:52.123Z",
		"created_after=0000-01-01T00:00:00%2B23:59&created_before=9999-12-31T23:59:59.999999999-23:59",
	} {
		f.Add(seed)
	}
	a := newAPIOf(f, fakeService(fakeRepository{}))
	f.Fuzz(func(t *testing.T, query string) {
		u := url.URL{Path: collection, RawQuery: query}
		if parsed, err := url.Parse(u.String()); err != nil || parsed.Path != collection ||
			strings.ContainsAny(query, " \x7f#") {
			return // no client can send it
		}
		res := a.do(t, call{path: u.String()})
		if res.status != http.StatusOK && res.status != http.StatusBadRequest {
			t.Errorf("status %d: %s", res.status, res.body)
		}
	})
}

// TestListShowsWhatMeetsEveryFilter of four shipments, A the oldest, an hour and a status apart, which are listed as
// "D C B A". References are compared as they are stored.
func TestListShowsWhatMeetsEveryFilter(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	result := func(r shipments.Result) shipments.Check { return shipments.Check{Name: "n", Result: r, Details: "d"} }
	for i, c := range []struct {
		reference string
		checks    []shipments.Check
	}{
		{"PO-1", nil},
		{"PO-1", []shipments.Check{result(shipments.Pass), result(shipments.Pass)}},
		{"Caf\u00e9 & <b>+1", []shipments.Check{result(shipments.Pass), result(shipments.Fail)}},
		{"po-1", []shipments.Check{result(shipments.Warn), result(shipments.Skip)}},
	} {
		s := newShipment(shipments.Statuses[i], noon.Add(time.Duration(i)*time.Hour))
		s.Vessel, s.Reference = "ABCD"[i:i+1], c.reference
		a.load(t, shipments.Detail{Shipment: s, Checks: c.checks})
	}
	for query, want := range map[string]string{
		"?reference=&created_after=&created_before=&check_result=": "D C B A",

		"?reference=PO-1%25":                                "",
		"?reference=+PO-1%09":                               "B A",
		"?reference=Caf%C3%A9+%26+%3Cb%3E%2B1":              "C",
		"?reference=Cafe%CC%81+%26+%3Cb%3E%2B1":             "C", // another normalization form
		"?reference=" + strings.Repeat("%F0%9F%8D%8A", 100): "",
		"?q=O-1": "D B A",
		"?q=%3Cb%3E%09%C2%A0caf%C3%A9&status=ready_for_review": "C", // words between spaces of any kind

		"?check_result=pass": "C B",
		"?check_result=fail": "C",

		"?created_after=2026-11-20T13:00:00Z":        "D C",
		"?created_before=2026-11-20T13:00:00.001Z":   "B A",
		"?created_after=2026-11-20T16:00:00%2B04:00": "D C B",
		"?created_after=0000-01-01T00:00:00%2B23:59": "D C B A",
		"?updated_after=2026-11-20T13:00:00Z":        "D C",
		"?reference=PO-1&created_after=2026-11-20T12:00:00Z&check_result=pass&status=processing" +
			"&created_before=2026-11-20T14:00:00Z": "B",
	} {
		p := a.list(t, query)
		var vessels []string
		for _, s := range p.Shipments {
			vessels = append(vessels, fmt.Sprint(s["vessel"]))
		}
		if got := strings.Join(vessels, " "); got != want || p.Meta.Total != int64(len(vessels)) {
			t.Errorf("%s: %q of %d, want %q", query, got, p.Meta.Total, want)
		}
	}
}
