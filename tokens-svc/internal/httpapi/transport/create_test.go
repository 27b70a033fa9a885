package transport_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func TestATokenIsMadeAndItsSecretWorks(t *testing.T) {
	t.Parallel()
	m := manage(t)
	res := m.do(t, http.MethodPost, "/api/v1/tokens", `{"token":{"name":" ERP ","permissions":["shipments:write"],`+
		`"environment":"live","expires_at":"2026-12-31T23:59:59+01:00","ip_allow":["192.0.2.0/24","2001:db8::1"],`+
		`"rate_limit":{"limit":60,"window_seconds":60}}}`)
	made := read(t, res, http.StatusCreated).Token
	if got := res.Header().Get("Location"); got != "/api/v1/tokens/"+string(made.ID) {
		t.Errorf("Location: %s", got)
	}
	secret, err := tokens.Parse(made.Secret)
	if err != nil || secret.ID() != made.ID || !strings.HasPrefix(made.Secret, "shpt_live_") {
		t.Errorf("secret of %s: %v", made.ID, err)
	}
	if made.Name != "ERP" || made.Status != "active" ||
		made.ExpiresAt != "2026-12-31T22:59:59.000Z" || made.RateLimit.Limit != 60 ||
		!slices.Equal(made.IPAllow, []string{"192.0.2.0/24", "2001:db8::1/128"}) ||
		!slices.Equal(made.Permissions, []string{"shipments:read", "shipments:write"}) {
		t.Errorf("%+v", made)
	}
	if by := made.CreatedBy; by.Kind != "token" || by.ID != string(m.token.ID) || by.Name != "Terraform" {
		t.Errorf("made by %+v", by)
	}
	if res := m.introspect(t, formOf(secret), nil); !strings.Contains(res.Body.String(), `"active":true`) {
		t.Errorf("the new token is %s", res.Body)
	}
	if again := read(t, m.do(t, http.MethodGet, "/api/v1/tokens/"+string(made.ID), ""),
		http.StatusOK).Token; again.Secret != "" || again.Name != "ERP" {
		t.Errorf("fetched: %+v", again)
	}
}

func TestOmittedTokenFieldsHaveDefaults(t *testing.T) {
	t.Parallel()
	m := manage(t)
	for more, end := range map[string]string{
		``:                                     "2027-02-18T14:03:52.000Z",
		`,"expires_at":null`:                   "",
		`,"ip_allow":[],"rate_limit":{}`:       "2027-02-18T14:03:52.000Z",
		`,"expires_at":"2030-01-01T00:00:00Z"`: "2030-01-01T00:00:00.000Z",
	} {
		body := `{"token":{"name":"ERP","permissions":["shipments:read"]` + more + `}}`
		made := read(t, m.do(t, http.MethodPost, "/api/v1/tokens", body), http.StatusCreated).Token
		if made.ExpiresAt != end || made.Environment != "live" || made.RateLimit.Limit != 100 ||
			made.RateLimit.WindowSeconds != 60 || made.IPAllow != nil {
			t.Errorf("%s: %+v", body, made)
		}
	}
}

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
