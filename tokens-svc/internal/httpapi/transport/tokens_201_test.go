package transport_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

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

func TestATokenIsRotated(t *testing.T) {
	t.Parallel()
	m := manage(t)
	for body, ends := range map[string]time.Duration{
		"": 24 * time.Hour, "{}": 24 * time.Hour, `{"grace_seconds":3600}`: time.Hour, `{"grace_seconds":0}`: 0,
		`{"grace_seconds":604800}`: 7 * 24 * time.Hour,
	} {
		old, oldSecret := m.create(t, nil)
		res := m.do(t, http.MethodPost, fmt.Sprintf("/api/v1/tokens/%s/rotate", old.ID), body)
		a := read(t, res, http.StatusCreated)
		if got := res.Header().Get("Location"); got != "/api/v1/tokens/"+string(a.Token.ID) {
			t.Errorf("Location: %s", got)
		}
		if a.Token.RotatedFrom != old.ID || a.Previous.RotatedTo != a.Token.ID ||
			a.Previous.ID != old.ID || a.Previous.Secret != "" {
			t.Errorf("%s: %+v", body, a)
		}
		end := created.Add(ends).Truncate(time.Second)
		if want := end.Format("2006-01-02T15:04:05.000Z"); a.Previous.ExpiresAt != want ||
			a.Token.ExpiresAt != "2027-02-18T14:03:52.000Z" {
			t.Errorf("%s: the old one ends %s, want %s; the new one %s", body, a.Previous.ExpiresAt, want, a.Token.ExpiresAt)
		}
		answer := m.introspect(t, formOf(oldSecret), nil).Body.String()
		if active := strings.Contains(answer, `"active":true`); active != (ends > 0) || active &&
			!strings.Contains(answer, fmt.Sprintf(`"exp":%d`, end.Unix())) {
			t.Errorf("%s: the old one is %s", body, answer)
		}
		if answer := m.introspect(t, "token="+a.Token.Secret, nil).Body.String(); !strings.Contains(answer, `"active":true`) {
			t.Errorf("%s: the new one is %s", body, answer)
		}
	}
}

// TestATokenRotatesItself, whatever it may do, and the response has no person's name.
func TestATokenRotatesItself(t *testing.T) {
	t.Parallel()
	p := start(t)
	old, _ := p.create(t, func(d *tokens.Draft) { d.Permissions = []string{"webhooks:manage"} })
	res := p.send(t, old, http.MethodPost, "/api/v1/token/rotate", `{"grace_seconds":3600}`)
	a := read(t, res, http.StatusCreated)
	if a.Token.RotatedFrom != old.ID || a.Token.Secret == "" || a.Previous.ExpiresAt != "2026-11-20T15:03:52.000Z" ||
		strings.Contains(res.Body.String(), "created_by") {
		t.Errorf("%s", res.Body)
	}
	problem := wantProblem(t, p.send(t, old, http.MethodPost, "/api/v1/token/rotate", ""),
		http.StatusConflict, "token_rotated")
	if !strings.Contains(problem.Detail, string(a.Token.ID)) {
		t.Errorf("%+v does not name the successor", problem)
	}
}
