package transport_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestPoliciesBindTokensThatMakeTokens, not what those have already.
func TestPoliciesBindTokensThatMakeTokens(t *testing.T) {
	t.Parallel()
	m := manage(t)
	old, _ := m.create(t, nil)
	policy := tokens.Policy{MaxDays: 30, RequireAddresses: true, OwnersGrantAdmin: true}
	if err := m.service.ChangeOrganization(t.Context(), tokens.Operator(), org, "Acme", policy); err != nil {
		t.Fatal(err)
	}
	const end = "/token/expires_at"
	for member, pointer := range map[string]string{
		`"ip_allow":["192.0.2.7"],"permissions":["shipments:read"],"expires_at":null`:                   end,
		`"ip_allow":["192.0.2.7"],"permissions":["shipments:read"],"expires_at":"2026-12-21T00:00:00Z"`: end,
		`"permissions":["shipments:read"]`:                                "/token/ip_allow",
		`"permissions":["shipments:read"],"ip_allow":["::/4","1000::/4"]`: "/token/ip_allow",
		`"ip_allow":["192.0.2.7"],"permissions":["admin"]`:                "/token/permissions/0",
	} {
		p := wantProblem(t, m.do(t, http.MethodPost, "/api/v1/tokens", `{"token":{"name":"ERP",`+member+`}}`),
			http.StatusUnprocessableEntity, "validation_failed")
		if len(p.Errors) != 1 || p.Errors[0].Pointer != pointer {
			t.Errorf("%s: %+v", member, p.Errors)
		}
	}
	const body = `{"token":{"name":"ERP","permissions":["shipments:read"],"ip_allow":["192.0.2.7"]}}`
	made := read(t, m.do(t, http.MethodPost, "/api/v1/tokens", body), http.StatusCreated).Token
	if !strings.HasPrefix(made.ExpiresAt, "2026-12-20T14:03:5") {
		t.Errorf("without expires_at it ends %s", made.ExpiresAt)
	}

	path := "/api/v1/tokens/" + string(old.ID)
	read(t, m.do(t, http.MethodPatch, path, `{"token":{"name":"renamed"}}`), http.StatusOK)
	for _, wider := range []string{`"expires_at":null`, `"permissions":["admin"]`} {
		wantProblem(t, m.do(t, http.MethodPatch, path, `{"token":{`+wider+`}}`),
			http.StatusUnprocessableEntity, "validation_failed")
	}
	next := read(t, m.do(t, http.MethodPost, path+"/rotate", ""), http.StatusCreated).Token
	if !strings.HasPrefix(next.ExpiresAt, "2026-12-20T14:03:5") {
		t.Errorf("a successor ends %s", next.ExpiresAt)
	}
	wantProblem(t, m.do(t, http.MethodPatch, "/api/v1/tokens/"+string(made.ID), `{"token":{"ip_allow":null}}`),
		http.StatusUnprocessableEntity, "validation_failed")
}
