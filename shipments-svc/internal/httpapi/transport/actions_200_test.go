package transport_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func TestApproveMakesAShipmentApprovedOnce(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := a.loaded(t, shipments.ReadyForReview, shipments.Pass, shipments.Warn, shipments.Skip)
	before := time.Now().Truncate(time.Millisecond)
	res := a.do(t, approve(path))
	s := res.shipment(t)
	at, err := time.Parse("2006-01-02T15:04:05.000Z", s["approved_at"].(string))
	if err != nil || at.Before(before) || at.After(time.Now()) || s["status"] != "approved" ||
		res.header.Get("ETag") != `"3.2"` {
		t.Errorf("%s, ETag %s (%v)", res.body, res.header.Get("ETag"), err)
	}
	for name, again := range map[string]call{
		"without a body": approve(path),
		"with an override": {
			method: http.MethodPost, path: path + "/approve",
			body: `{"override_reason":"another"}`,
		},
		"for the version before":         approve(path).with("If-Match", `"3.1"`),
		"with the media type of nothing": approve(path).with("Content-Type", "application/json"),
	} {
		second := a.do(t, again)
		if second.wants(t, http.StatusOK, ""); string(second.body) != string(res.body) ||
			second.header.Get("ETag") != res.header.Get("ETag") {
			t.Errorf("%s: %s", name, second.body)
		}
	}
	if h := a.history(t, path).History; len(h) != 2 || h[0].Action != "approve" || h[0].Reason != "" {
		t.Errorf("the history is %+v", h)
	}
	if got := a.do(t, call{path: path}); got.header.Get("ETag") != `"3.2"` ||
		got.shipment(t)["approved_at"] != s["approved_at"] {
		t.Errorf("it is shown as %s", got.body)
	}
}

func TestApproveOverridesFailingChecksForAReason(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := a.loaded(t, shipments.ReadyForReview, shipments.Fail)
	const reason = "counted by hand: „0043“"
	s := a.do(t, call{method: http.MethodPost, path: path + "/approve", body: `{"override_reason":" ` + reason + ` "}`}).
		shipment(t)
	if s["status"] != "approved" {
		t.Errorf("%v", s)
	}
	h := a.history(t, path).History[0]
	if h.Action != "approve" || h.Reason != reason || h.TokenID != "tok_4fZyo82mVyR1" || h.Status != "approved" ||
		h.Version != 2 || len(h.Accepted) != 1 || h.Accepted[0].Result != shipments.Fail {
		t.Errorf("%+v", h)
	}
}

func TestRejectKeepsItsReason(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := a.loaded(t, shipments.ReadyForReview, shipments.Fail)
	res := a.do(t, reject(path))
	s := res.shipment(t)
	if _, approved := s["approved_at"]; s["status"] != "rejected" || approved || res.header.Get("ETag") != `"3.2"` {
		t.Errorf("%v, ETag %s", s, res.header.Get("ETag"))
	}
	if h := a.history(t, path).History[0]; h.Action != "reject" || h.Reason != "wet boxes" || h.Status != "rejected" {
		t.Errorf("%+v", h)
	}
}

func TestUpdateReplacesWhatIsGiven(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	res := a.do(
		t, call{method: http.MethodPatch, path: path, body: `{"shipment":{"vessel":" Maersk Lavras","origin":"Łódź"}}`},
	)
	s := res.shipment(t)
	if s["vessel"] != "Maersk Lavras" || s["origin"] != "Łódź" || s["reference"] != "PO-1" || s["status"] != "pending" ||
		res.header.Get("ETag") != `"3.2"` {
		t.Errorf("%v, ETag %s", s, res.header.Get("ETag"))
	}
	h := a.history(t, path).History[0]
	if h.Action != "update" || len(h.Changes) != 2 || h.Changes[0].Field != "vessel" ||
		h.Changes[0].From != "MSC Carmen" ||
		h.Changes[0].To != "Maersk Lavras" {
		t.Errorf("%+v", h)
	}
	for _, same := range []string{`{"shipment":{}}`, `{"shipment":{"vessel":"Maersk Lavras"}}`} {
		c := call{method: http.MethodPatch, path: path, body: same}
		if res := a.do(t, c.with("Content-Type", "application/merge-patch+json")); res.status != http.StatusOK ||
			res.header.Get("ETag") != `"3.2"` {
			t.Errorf("%s: status %d, ETag %s", same, res.status, res.header.Get("ETag"))
		}
	}
	if n := a.list(t, "?reference=PO-1").Meta.Total; n != 1 {
		t.Errorf("%d shipments", n)
	}
}

func TestHistoryHasEveryVersionLatestFirst(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	for _, vessel := range []string{"A", "B", "C"} {
		a.do(t, call{method: http.MethodPatch, path: path, body: `{"shipment":{"vessel":"` + vessel + `"}}`}).
			wants(t, http.StatusOK, "")
	}
	h := a.history(t, path)
	if len(h.History) != 4 || h.Meta.Total != 4 || h.History[3].Action != "create" || h.History[3].TokenID == "" ||
		h.History[0].Changes[0].To != "C" {
		t.Errorf("%+v", h)
	}
	res := a.do(t, call{path: path + "/history?page=2&per_page=3"})
	var p historyPage
	if decode(t, res.body, &p); len(p.History) != 1 || p.History[0].Version != 1 ||
		!strings.Contains(res.header.Get("Link"), `/history?page=1&per_page=3>; rel="prev"`) {
		t.Errorf("%s, Link %s", res.body, res.header.Get("Link"))
	}
	if res := a.do(t, call{path: path + "/history?page=9"}); !strings.Contains(string(res.body), `"history":[]`) {
		t.Errorf("past the end: %s", res.body)
	}
	const person = "usr_01k9x3v7t2e8sbq4m6n0pacdfg"
	c := call{method: http.MethodPatch, path: path, body: `{"shipment":{"vessel":"D"}}`}
	c.header = http.Header{"X-Token-Id": nil, "X-User-Id": {person}, "X-User-Name": {"Anna%20Visser"}}
	a.do(t, c).wants(t, http.StatusOK, "")
	if h := a.history(t, path).History; h[0].Actor.ID != person || h[0].UserID != person || h[0].TokenID != "" ||
		h[0].Actor.Name != "Anna Visser" || h[4].Actor.ID != h[4].TokenID || h[4].Actor.Name != "" {
		t.Errorf("%+v", h)
	}
	loaded := a.history(t, a.loaded(t, shipments.Approved)).History
	if len(loaded) != 1 || loaded[0].TokenID != "" || loaded[0].Actor.ID != "" {
		t.Errorf("%+v", loaded)
	}
}
