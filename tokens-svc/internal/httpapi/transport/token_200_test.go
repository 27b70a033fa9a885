package transport_test

import (
	"fmt"
	"net/http"
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
