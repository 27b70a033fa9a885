package transport_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestAPatchIsAMerge: what is given changes, null takes away, the rest stays.
func TestAPatchIsAMerge(t *testing.T) {
	t.Parallel()
	m := manage(t)
	token, secret := m.create(t, func(d *tokens.Draft) {
		d.IPAllow, d.RateLimit = []string{"192.0.2.0/24"}, tokens.RateLimit{Limit: 10}
	})
	for _, step := range []struct{ patch, want string }{
		{`{}`, `ERP [192.0.2.0/24] {10 60} [shipments:read shipments:write] "2027-02-18T14:03:52.000Z"`},
		{`{"name":"WMS"}`, "WMS [192.0.2.0/24] {10 60} [shipments:read shipments:write]"},
		{`{"rate_limit":{"limit":5}}`, "{5 60}"},
		{`{"rate_limit":{"window_seconds":60}}`, "{5 60}"},
		{`{"rate_limit":null}`, "{100 60}"},
		{`{"ip_allow":["10.0.0.0/8"]}`, "[10.0.0.0/8]"},
		{`{"ip_allow":null}`, "WMS [] {100 60}"},
		{`{"permissions":["documents:read"]}`, "[documents:read]"},
		{`{"expires_at":"2026-11-21T00:00:00Z"}`, "2026-11-21T00:00:00.000Z"},
		{`{"expires_at":null}`, `WMS [] {100 60} [documents:read] ""`},
	} {
		res := m.do(t, http.MethodPatch, "/api/v1/tokens/"+string(token.ID), `{"token":`+step.patch+`}`)
		s := read(t, res, http.StatusOK).Token
		got := fmt.Sprintf("%s %v %v %v %q", s.Name, s.IPAllow, s.RateLimit, s.Permissions, s.ExpiresAt)
		if !strings.Contains(got, step.want) {
			t.Errorf("%s: %s, want %s", step.patch, got, step.want)
		}
	}
	if answer := m.introspect(t, formOf(secret), nil).Body.String(); !strings.Contains(answer,
		`"scope":"documents:read"`) || strings.Contains(answer, "exp") {
		t.Errorf("introspection returns %s", answer)
	}
	res := m.ask(t, http.MethodPatch, "/api/v1/tokens/"+string(token.ID), org, m.token.ID, func(r *http.Request) {
		r.Header.Set("X-Token-Permissions", "admin")
		r.Header.Set("Content-Type", "application/merge-patch+json")
		r.Body = io.NopCloser(strings.NewReader(`{"token":{"name":"merged"}}`))
	})
	if got := read(t, res, http.StatusOK).Token.Name; got != "merged" {
		t.Errorf("as merge patch: %s", got)
	}
}
