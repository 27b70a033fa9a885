package transport_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// introspected is the response of an introspection.
type introspected struct {
	Active         bool
	Scope          string
	Sub            tokens.TokenID
	Lineage        tokens.TokenID
	OrganizationID tokens.OrgID `json:"organization_id"`
	Environment    string
	Revision       int64 `json:"rev"`
}

func (p *program) introspected(t *testing.T, s tokens.Secret) (found introspected) {
	t.Helper()
	if err := json.Unmarshal(p.introspect(t, formOf(s), nil).Body.Bytes(), &found); err != nil {
		t.Fatal(err)
	}
	return found
}

// TestIntrospectionReturnsTheLineage: successors share one window.
func TestIntrospectionReturnsTheLineage(t *testing.T) {
	t.Parallel()
	p := start(t)
	first, secret := p.create(t, func(d *tokens.Draft) { d.Permissions = []string{"admin"} })
	token := first
	for range 3 {
		if found := p.introspected(t, secret); found.Sub != token.ID || found.Lineage != first.ID {
			t.Errorf("%+v, want the lineage %s", found, first.ID)
		}
		done, err := p.service.RotateToken(t.Context(), tokens.Operator(), org, token.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		token, secret = done.Token, done.Secret
	}
}

// TestATestTokenHasAPartitionOfItsOwn: no service can mix its data with live
// ones, because introspection returns another organization. Here the real one is found again.
func TestATestTokenHasAPartitionOfItsOwn(t *testing.T) {
	t.Parallel()
	m := manage(t)
	_, live := m.create(t, nil)
	test, secret := m.create(t, func(d *tokens.Draft) { d.Environment, d.Permissions = tokens.Test, []string{"admin"} })
	found := m.introspected(t, secret)
	if _, ok := publicid.Parse("org", string(found.OrganizationID)); !ok ||
		found.OrganizationID == org || found.Environment != "test" {
		t.Errorf("%+v", found)
	}
	if found := m.introspected(t, live); found.OrganizationID != org || found.Environment != "live" {
		t.Errorf("%+v", found)
	}
	if self := m.send(t, test, http.MethodGet, "/api/v1/token", ""); self.Code != http.StatusOK ||
		!strings.Contains(self.Body.String(), `"organization":{"id":"`+string(org)+
			`","name":"Acme Citrus"},"environment":"test"`) {
		t.Errorf("%d %s", self.Code, self.Body)
	}
	wantProblem(t, m.ask(t, http.MethodGet, "/api/v1/token", org, test.ID, nil), http.StatusUnauthorized,
		"invalid_token")
	wantProblem(t, m.ask(t, http.MethodGet, "/api/v1/token", found.OrganizationID, m.token.ID, nil),
		http.StatusUnauthorized, "invalid_token")

	made := read(t, m.send(t, test, http.MethodPost, "/api/v1/tokens",
		`{"token":{"name":"ERP","permissions":["shipments:read"]}}`), http.StatusCreated).Token
	if made.Environment != "test" {
		t.Errorf("a test token made %+v", made)
	}
	if list := read(t, m.send(t, test, http.MethodGet, "/api/v1/tokens", ""), http.StatusOK); list.Meta.Total != 2 ||
		len(list.Tokens) != 2 {
		t.Errorf("a test token sees %+v", list)
	}
	if list := read(t, m.do(t, http.MethodGet, "/api/v1/tokens", ""), http.StatusOK); list.Meta.Total != 4 {
		t.Errorf("a live token sees %+v", list)
	}
	for _, operation := range []string{
		"GET ", "PATCH ", "POST /rotate", "POST /revoke",
	} {
		method, rest, _ := strings.Cut(operation, " ")
		body := map[string]string{"PATCH": `{"token":{"name":"mine"}}`}[method]
		wantProblem(t, m.send(t, test, method, "/api/v1/tokens/"+string(m.token.ID)+rest, body),
			http.StatusNotFound, "not_found")
	}
	problem := wantProblem(t, m.send(t, test, http.MethodGet, "/api/v1/audit-events", ""),
		http.StatusForbidden, "insufficient_permission")
	if !strings.Contains(problem.Detail, "audit log") {
		t.Errorf("%+v", problem)
	}
	wantProblem(t, m.send(t, test, http.MethodPost, "/api/v1/tokens",
		`{"token":{"name":"ERP","permissions":["admin"],"environment":"live"}}`),
		http.StatusUnprocessableEntity, "validation_failed")
	if made = read(t, m.do(t, http.MethodPost, "/api/v1/tokens",
		`{"token":{"name":"ERP","permissions":["admin"],"environment":"test"}}`),
		http.StatusCreated).Token; made.Environment != "test" {
		t.Errorf("a live token made %+v", made)
	}
}

// TestRevocationListsDescendants, and ends them if that is asked for.
func TestRevocationListsDescendants(t *testing.T) {
	t.Parallel()
	m := manage(t)
	parent, _ := m.create(t, func(d *tokens.Draft) { d.Permissions = []string{"admin"} })
	child := read(t, m.send(t, parent, http.MethodPost, "/api/v1/tokens",
		`{"token":{"name":"ERP","permissions":["shipments:read"]}}`), http.StatusCreated).Token
	path := "/api/v1/tokens/" + string(parent.ID) + "/revoke"
	for _, step := range []struct {
		body   string
		active int
		status string
	}{
		{"", 1, "active"},
		{`{"reason":"lost","children":false}`, 1, "active"},
		{`{"reason":"lost","children":true}`, 0, "revoked"},
		{`{}`, 0, "revoked"},
	} {
		res := m.do(t, http.MethodPost, path, step.body)
		var got struct {
			ActiveChildren *int `json:"active_children"`
		}
		if err := json.Unmarshal(res.Body.Bytes(), &got); err != nil || res.Code != http.StatusOK ||
			got.ActiveChildren == nil || *got.ActiveChildren != step.active {
			t.Errorf("%s: %d %s, %v", step.body, res.Code, res.Body, err)
		}
		if found := read(t, m.do(t, http.MethodGet, "/api/v1/tokens/"+string(child.ID), ""),
			http.StatusOK).Token; found.Status != step.status {
			t.Errorf("%s: the child is %s, want %s", step.body, found.Status, step.status)
		}
	}
	wantProblem(t, m.do(t, http.MethodPost, path, `{"children":"yes"}`),
		http.StatusUnprocessableEntity, "validation_failed")
}
