package transport_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// loaded stores a shipment of a status, with a check of each of the results,
// and returns its path.
func (a *api) loaded(tb testing.TB, status shipments.Status, results ...shipments.Result) string {
	tb.Helper()
	d := shipments.Detail{Shipment: newShipment(status, noon)}
	for _, r := range results {
		d.Checks = append(d.Checks, shipments.Check{Name: "check_" + string(r), Result: r, Details: "because"})
	}
	a.load(tb, d)
	return collection + "/" + publicid.Format("ship", uuid.UUID(d.ID))
}

// approve, reject and update are the actions, each fine by itself.
func approve(path string) call { return call{method: http.MethodPost, path: path + "/approve"} }

func reject(path string) call {
	return call{method: http.MethodPost, path: path + "/reject", body: `{"reason":"wet boxes"}`}
}

func update(path string) call {
	return call{method: http.MethodPatch, path: path, body: `{"shipment":{"vessel":"Maersk Lavras"}}`}
}

// shipment is what an answer shows of a shipment.
func (r answer) shipment(tb testing.TB) map[string]any {
	tb.Helper()
	r.wants(tb, http.StatusOK, "")
	var shown struct{ Shipment map[string]any }
	decode(tb, r.body, &shown)
	return shown.Shipment
}

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
