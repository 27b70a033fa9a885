package transport_test

import (
	"io"
	"net/http"
	"slices"
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
	for _, step := range []struct {
		body string
		want func(shown) bool
	}{
		{`{"token":{}}`, func(s shown) bool { return s.Name == "ERP" && s.RateLimit.Limit == 10 && len(s.IPAllow) == 1 }},
		{`{"token":{"name":"WMS"}}`, func(s shown) bool { return s.Name == "WMS" && s.RateLimit.Limit == 10 }},
		{
			`{"token":{"rate_limit":{"limit":5}}}`,
			func(s shown) bool { return s.RateLimit.Limit == 5 && s.RateLimit.WindowSeconds == 60 },
		},
		{
			`{"token":{"rate_limit":{"window_seconds":60}}}`,
			func(s shown) bool { return s.RateLimit.Limit == 5 && s.RateLimit.WindowSeconds == 60 },
		},
		{`{"token":{"rate_limit":null}}`, func(s shown) bool {
			return s.RateLimit.Limit == 100 &&
				s.RateLimit.WindowSeconds == 60
		}},
		{`{"token":{"ip_allow":["10.0.0.0/8"]}}`, func(s shown) bool { return s.IPAllow[0] == "10.0.0.0/8" }},
		{`{"token":{"ip_allow":null}}`, func(s shown) bool { return s.IPAllow == nil }},
		{
			`{"token":{"permissions":["documents:read"]}}`,
			func(s shown) bool { return slices.Equal(s.Permissions, []string{"documents:read"}) },
		},
		{
			`{"token":{"expires_at":"2026-11-21T00:00:00Z"}}`,
			func(s shown) bool { return s.ExpiresAt == "2026-11-21T00:00:00.000Z" },
		},
		{`{"token":{"expires_at":null}}`, func(s shown) bool { return s.ExpiresAt == "" && s.Name == "WMS" }},
	} {
		got := read(t, m.do(t, http.MethodPatch, "/api/v1/tokens/"+string(token.ID), step.body), http.StatusOK).Token
		if !step.want(got) {
			t.Errorf("%s: %+v", step.body, got)
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
