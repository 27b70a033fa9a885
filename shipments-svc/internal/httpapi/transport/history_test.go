package transport_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

type historyPage struct {
	History []struct {
		Version                    int64
		At, Action, Status, Reason string
		Actor                      struct{ ID, Name string }
		TokenID                    string `json:"token_id"`
		UserID                     string `json:"user_id"`
		DocumentID                 string `json:"document_id"`
		Changes                    []struct{ Field, From, To string }
		Accepted                   []shipments.Finding
	}
	Meta struct {
		Page, Total int64
		PerPage     int64 `json:"per_page"`
	}
}

func (a *api) history(tb testing.TB, path string) historyPage {
	tb.Helper()
	res := a.do(tb, call{path: path + "/history"})
	res.wants(tb, http.StatusOK, "")
	var p historyPage
	decode(tb, res.body, &p)
	return p
}

// TestHistoryHasEveryVersionLatestFirst, and who made it: a token, a person or the service.
func TestHistoryHasEveryVersionLatestFirst(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	path := collection + "/" + a.create(t)
	const user = "usr_01k9x3v7t2e8sbq4m6n0pacdfg"
	person := http.Header{"X-Token-Id": nil, "X-User-Id": {user}, "X-User-Name": {"Anna%20Visser"}}
	for vessel, header := range map[string]http.Header{"A": nil, "B": person} {
		a.do(t, call{
			method: http.MethodPatch, path: path, body: `{"shipment":{"vessel":"` + vessel + `"}}`, header: header,
		}).wants(t, http.StatusOK, "")
	}
	h := a.history(t, path)
	if len(h.History) != 3 || h.Meta.Total != 3 || h.History[2].Action != "create" || h.History[2].Version != 1 {
		t.Fatalf("%+v", h)
	}
	for _, entry := range h.History[:2] {
		who := []string{entry.Actor.ID, entry.UserID, entry.TokenID, entry.Actor.Name}
		want := []string{user, user, "", "Anna Visser"}
		if entry.Changes[0].To == "A" {
			want = []string{token, "", token, ""}
		}
		if !slices.Equal(who, want) {
			t.Errorf("%+v, want %q", entry, want)
		}
	}
	a.do(t, call{path: path + "/history?page=2&per_page=2"}).has(t, `"history":[{"version":1,`)
	a.do(t, call{path: path + "/history?page=9"}).has(t, `"history":[]`)
	if loaded := a.history(t, a.loaded(t, shipments.Approved)).History; len(loaded) != 1 ||
		loaded[0].TokenID != "" || loaded[0].Actor.ID != "" {
		t.Errorf("%+v", loaded)
	}
}
