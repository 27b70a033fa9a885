package transport_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// loadFiltered loads four shipments, A the oldest, an hour and a status apart.
// They are listed as "D C B A".
func loadFiltered(t *testing.T) *api {
	t.Helper()
	a := newAPI(t)
	result := func(r shipments.Result) shipments.Check { return shipments.Check{Name: "n", Result: r, Details: "d"} }
	checks := [][]shipments.Check{
		nil,
		{result(shipments.Pass), result(shipments.Pass)},
		{result(shipments.Pass), result(shipments.Fail)},
		{result(shipments.Warn), result(shipments.Skip)},
	}
	references := []string{"PO-1", "PO-1", "Caf\u00e9 & <b>+1", "po-1"}
	var all []shipments.Detail
	for i := range references {
		s := newShipment(shipments.Statuses[i], noon.Add(time.Duration(i)*time.Hour))
		s.Vessel, s.Reference = "ABCD"[i:i+1], references[i]
		all = append(all, shipments.Detail{Shipment: s, Checks: checks[i]})
	}
	a.load(t, all...)
	return a
}

func (p page) vessels() string {
	all := make([]string, len(p.Shipments))
	for i, s := range p.Shipments {
		all[i] = fmt.Sprint(s["vessel"])
	}
	return strings.Join(all, " ")
}

func TestListShowsWhatMeetsEveryFilter(t *testing.T) {
	t.Parallel()
	a := loadFiltered(t)
	for query, want := range map[string]string{
		"?reference=&created_after=&created_before=&check_result=": "D C B A",

		"?reference=PO-1":                                   "B A",
		"?reference=po-1":                                   "D",
		"?reference=PO-":                                    "",
		"?reference=PO-1%25":                                "",
		"?reference=+PO-1%09":                               "B A",
		"?reference=Caf%C3%A9+%26+%3Cb%3E%2B1":              "C",
		"?reference=Cafe%CC%81+%26+%3Cb%3E%2B1":             "C", // another normalization form
		"?reference=" + strings.Repeat("%F0%9F%8D%8A", 100): "",

		"?check_result=pass": "C B",
		"?check_result=fail": "C",

		"?created_after=2026-11-20T13:00:00Z":                                     "D C",
		"?created_after=2026-11-20T12:59:59.999Z":                                 "D C B",
		"?created_before=2026-11-20T13:00:00.000Z":                                "A",
		"?created_before=2026-11-20T13:00:00.001Z":                                "B A",
		"?created_after=2026-11-20T16:00:00%2B04:00":                              "D C B",
		"?created_after=2026-11-20T07:00:00-05:00":                                "D C B",
		"?created_after=0000-01-01T00:00:00%2B23:59":                              "D C B A",
		"?created_after=2026-11-20T12:00:00Z&created_before=2026-11-20T15:00:00Z": "C B",
		"?created_after=2026-11-20T13:00:00Z&created_before=2026-11-20T13:00:00Z": "",

		"?updated_after=2026-11-20T13:00:00Z": "D C",

		"?status=processing&reference=PO-1": "B",
		"?check_result=pass&reference=PO-1": "B",
		"?reference=PO-1&created_after=2026-11-20T12:00:00Z&check_result=pass&status=processing" +
			"&created_before=2026-11-20T14:00:00Z": "B",
	} {
		p := a.list(t, query)
		if got := p.vessels(); got != want || p.Meta.Total != int64(len(strings.Fields(want))) {
			t.Errorf("%s: %q of %d, want %q", query, got, p.Meta.Total, want)
		}
	}
}

// TestListLinksKeepTheFilters, so that clients that follow them see no other
// shipments.
func TestListLinksKeepTheFilters(t *testing.T) {
	t.Parallel()
	a := loadFiltered(t)
	for query, want := range map[string]string{
		"reference=PO-1": "B A",
		"reference=Caf%C3%A9+%26+%3Cb%3E%2B1&check_result=fail":                               "C",
		"check_result=pass&status=":                                                           "C B",
		"created_after=2026-11-20T14:00:00%2B02:00&created_before=2026-11-20T15:00:00Z&page=": "C B",
	} {
		given, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		for rel, target := range links(t, a.do(t, call{path: "?per_page=1&" + query})) {
			u, err := url.Parse(target)
			if err != nil {
				t.Fatal(err)
			}
			kept := u.Query()
			for name, values := range given {
				if values[0] != "" && kept.Get(name) != values[0] {
					t.Errorf("%s: %s is %s", query, rel, target)
				}
			}
		}
		var walked page
		walked.Shipments = a.walk(t, "?per_page=1&"+query, "next")
		if got := walked.vessels(); got != want {
			t.Errorf("%s: walked %q, want %q", query, got, want)
		}
	}
}

// TestCreatedShipmentIsReadAsSent: the reference is normalized alike
// where it is created and where it is looked for.
func TestCreatedShipmentIsReadAsSent(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for _, reference := range []string{"Cafe\u0301", " PO-7 ", "\u00a0\u212b 1\u2003", "a  b", "🍊&x=y#%", "👩\u200d🌾"} {
		body := strings.Replace(valid, "PO-1", reference, 1)
		a.do(t, call{method: http.MethodPost, body: body}).wants(t, http.StatusCreated, "")
		if p := a.list(t, "?"+url.Values{"reference": {reference}}.Encode()); p.Meta.Total != 1 || len(p.Shipments) != 1 {
			t.Errorf("%q: %v", reference, p)
		}
	}
}

// TestAPartOfATextIsFound in any case.
func TestAPartOfATextIsFound(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	id := a.create(t)
	for query, want := range map[string]int{
		"?q=o-1": 1, "?q=CARM": 1, "?q=terda": 1, "?q=xyz": 0, "?q=carmen&vessel=msc&status=pending": 1,
	} {
		if ids := a.list(t, query).ids(); len(ids) != want || want == 1 && ids[0] != id {
			t.Errorf("%s: %v", query, ids)
		}
	}
	a.do(t, call{path: collection + "?q=ab"}).wants(t, http.StatusBadRequest, "invalid_parameter")
}
