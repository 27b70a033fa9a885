package transport_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func TestGetTokenReturnsAllProperties(t *testing.T) {
	t.Parallel()
	p := start(t)
	token, _ := p.create(t, func(d *tokens.Draft) {
		d.Name = `ERP <Kraków> & "co"`
		d.Environment = tokens.Test
		d.IPAllow = []string{"2001:db8::/32", "192.0.2.7"}
		d.RateLimit = tokens.RateLimit{Limit: 60, WindowSeconds: 30}
	})
	res := p.ask(t, http.MethodGet, "/api/v1/token", token.Partition(), token.ID, nil)
	wantBody(t, res, fmt.Sprintf(`{"token":{"id":%q,"name":"ERP <Kraków> & \"co\"",`+
		`"organization":{"id":"org_01k9x3v7t2e8sbq4m6n0pacdfg","name":"Acme Citrus"},"environment":"test",`+
		`"permissions":["shipments:read","shipments:write"],`+
		`"effective_permissions":["shipments:read","shipments:write"],`+
		`"owner":"organization","status":"active",`+
		`"created_at":"2026-11-20T14:03:52.123Z","expires_at":"2027-02-18T14:03:52.000Z",`+
		`"rate_limit":{"limit":60,"window_seconds":30},"ip_allow":["192.0.2.7/32","2001:db8::/32"]}}`, token.ID))
}

func TestInapplicableFieldsAreOmitted(t *testing.T) {
	t.Parallel()
	p := start(t)
	token, _ := p.create(t,
		func(d *tokens.Draft) { d.ExpiresAt = time.Time{}; d.Permissions = []string{"shipments:read"} })
	res := p.ask(t, http.MethodGet, "/api/v1/token", org, token.ID, nil)
	wantBody(t, res, fmt.Sprintf(`{"token":{"id":%q,"name":"ERP",`+
		`"organization":{"id":"org_01k9x3v7t2e8sbq4m6n0pacdfg","name":"Acme Citrus"},"environment":"live",`+
		`"permissions":["shipments:read"],"effective_permissions":["shipments:read"],"owner":"organization",`+
		`"status":"active","created_at":"2026-11-20T14:03:52.123Z",`+
		`"rate_limit":{"limit":100,"window_seconds":60}}}`, token.ID))
}

func TestHEADAnswersLikeGET(t *testing.T) {
	t.Parallel()
	p := start(t)
	token, _ := p.create(t, nil)
	get := p.ask(t, http.MethodGet, "/api/v1/token", org, token.ID, nil)
	head := p.ask(t, http.MethodHead, "/api/v1/token", org, token.ID, nil)
	if head.Code != http.StatusOK || fmt.Sprint(head.Header()) != fmt.Sprint(get.Header()) {
		t.Errorf("%d %v, want %v", head.Code, head.Header(), get.Header())
	}
}

// TestEndedTokensAreRejectedImmediately: the gateway may accept a token for some seconds after its end; here it ends at
// once. And where the gateway names another organization than the token's, the request is refused.
func TestEndedTokensAreRejectedImmediately(t *testing.T) {
	t.Parallel()
	p := start(t)
	good, _ := p.create(t, nil)
	revoked, _ := p.create(t, nil)
	p.revoke(t, revoked.ID)
	expired, _ := p.create(t, func(d *tokens.Draft) { d.ExpiresAt = p.now.Add(1e9) })
	p.now = expired.ExpiresAt

	var bodies []string
	for name, c := range map[string]struct {
		org tokens.OrgID
		id  tokens.TokenID
	}{
		"revoked":                  {org, revoked.ID},
		"expired":                  {org, expired.ID},
		"unknown":                  {org, "tok_000000000001"},
		"malformed":                {org, "tok_"},
		"of another organization":  {other, good.ID},
		"of no organization known": {"org_00000000000000000000000000", good.ID},
	} {
		res := p.ask(t, http.MethodGet, "/api/v1/token", c.org, c.id, nil)
		wantProblem(t, res, http.StatusUnauthorized, "invalid_token")
		if got := res.Header().Get("WWW-Authenticate"); got != `Bearer realm="shipments", error="invalid_token"` {
			t.Errorf("%s: WWW-Authenticate: %s", name, got)
		}
		bodies = append(bodies, res.Body.String())
	}
	for _, b := range bodies {
		if b != bodies[0] {
			t.Errorf("refusals can be distinguished:\n%s%s", bodies[0], b)
		}
	}
	if strings.Contains(p.log.String(), `"ERROR"`) {
		t.Errorf("refusals are logged as faults: %s", p.log)
	}
}

// TestIdentityHeadersMatchTheContract: what the gateway sends is understood.
func TestIdentityHeadersMatchTheContract(t *testing.T) {
	t.Parallel()
	p := start(t)
	p.plant(t, parsed(t, "shpt_live_4fZyo82mVyR1_Qm3pXv9KcT7wNs2LdHb5RjFyAe8UgZ1x2NPy19"), 1,
		tokens.Token{Permissions: []tokens.Permission{"shipments:write"}})
	content, err := os.ReadFile("../../../testdata/contract/identity.json")
	if err != nil {
		t.Fatal(err)
	}
	var headers map[string]string
	if err := json.Unmarshal(content, &headers); err != nil {
		t.Fatal(err)
	}
	res := p.ask(t, http.MethodGet, "/api/v1/token", "", "", func(r *http.Request) {
		for name, value := range headers {
			r.Header.Set(name, value)
		}
	})
	if text := res.Body.String(); res.Code != http.StatusOK || !strings.Contains(text, headers["X-Token-ID"]) {
		t.Errorf("%d %s", res.Code, text)
	}
	if !strings.Contains(p.log.String(), headers["X-Request-ID"]) {
		t.Error("the request's id is not in the log")
	}
}

func TestTokenRevokesItself(t *testing.T) {
	t.Parallel()
	p := start(t)
	token, secret := p.create(t, func(d *tokens.Draft) { d.Permissions = []string{"documents:read"} })
	wantNoContent(t, p.send(t, token, http.MethodDelete, "/api/v1/token", ""))
	wantBody(t, p.introspect(t, formOf(secret), nil), `{"active":false,"reason":"revoked"}`)
	wantProblem(t, p.send(t, token, http.MethodDelete, "/api/v1/token", ""), http.StatusUnauthorized, "invalid_token")
}
