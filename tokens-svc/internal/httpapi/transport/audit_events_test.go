package transport_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestAuditLogHasActorAndAction, from where, and in which request.
func TestAuditLogHasActorAndAction(t *testing.T) {
	t.Parallel()
	m := manage(t)
	made := read(t, m.do(t, http.MethodPost, "/api/v1/tokens",
		`{"token":{"name":"ERP","permissions":["shipments:read"]}}`), http.StatusCreated).Token
	m.do(t, http.MethodPatch, "/api/v1/tokens/"+string(made.ID), `{"token":{"name":"WMS"}}`)
	m.do(t, http.MethodPost, fmt.Sprintf("/api/v1/tokens/%s/rotate", made.ID), "")
	m.do(t, http.MethodPost, fmt.Sprintf("/api/v1/tokens/%s/revoke", made.ID), `{"reason":"lost"}`)
	res := m.do(t, http.MethodGet, "/api/v1/audit-events?per_page=4", "")
	a := read(t, res, http.StatusOK)
	if a.Meta.Total != 6 || len(a.Events) != 4 || a.Events[0].Sequence != 6 ||
		!strings.Contains(res.Header().Get("Link"), `</api/v1/audit-events?page=2&per_page=4>; rel="next"`) {
		t.Fatalf("%+v, Link: %s", a, res.Header().Get("Link"))
	}
	for i, action := range []string{"token.revoked", "token.rotated", "token.updated", "token.created"} {
		e := a.Events[i]
		if e.Action != action || e.Target != string(made.ID) || e.Actor.Kind != "token" || e.Actor.ID != string(m.token.ID) ||
			e.Actor.Name != "Terraform" || e.Actor.Address != "192.0.2.7" ||
			e.Actor.RequestID != "req_01k9x3v7t2e8sbq4m6n0pacdfh" {
			t.Errorf("%+v, want %s", e, action)
		}
	}
	if a.Events[2].Details["name_before"] != "ERP" || a.Events[0].Details["reason"] != "lost" {
		t.Errorf("details %v", a.Events)
	}
	if rest := read(t, m.do(t, http.MethodGet, "/api/v1/audit-events?per_page=1&after=4", ""),
		http.StatusOK); rest.Meta.Total != 2 || rest.Events[0].Sequence != 5 {
		t.Errorf("after 4: %+v", rest)
	}
	if last := read(t, m.do(t, http.MethodGet, "/api/v1/audit-events?per_page=4&page=2", ""),
		http.StatusOK); len(last.Events) != 2 {
		t.Errorf("the last page is %+v", last)
	}
}
