package web

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// introspected is what gateways learn about a session.
type introspected struct {
	Active           bool
	Next             string
	User             string       `json:"sub"`
	Session          string       `json:"sid"`
	Name             string       `json:"name"`
	Organization     tokens.OrgID `json:"organization_id"`
	OrganizationName string       `json:"organization_name"`
	Scope            string
	AuthTime         int64 `json:"auth_time"`
}

// introspect returns what gateways learn about a browser's session.
func (b *browser) introspect(t *testing.T, org tokens.OrgID) (found introspected) {
	t.Helper()
	form := url.Values{
		"organization": {string(org)},
		"cookie":       {"other=1; " + cookieID + "=" + b.cookie}, "client": {"192.0.2.9"},
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/internal/v1/sessions/introspect",
		strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Authorization", "Bearer "+gatewayCredential)
	w := httptest.NewRecorder()
	b.internal.ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), &found); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return found
}

func TestIntrospectionOfASessionNamesThePersonAndWhatTheRoleHolds(t *testing.T) {
	t.Parallel()
	w := start(t)
	for role, scope := range map[tokens.Role]string{
		tokens.RoleOwner:    strings.Join(tokens.Texts(w.tokens.Permissions().All()), " "),
		tokens.RoleMember:   "documents:read documents:write shipments:read shipments:write",
		tokens.RoleReviewer: "documents:read shipments:read shipments:review",
		tokens.RolePacker:   "documents:read documents:write shipments:read shipments:write",
		tokens.RoleAuditor:  "audit:read documents:read shipments:read",
	} {
		b := w.member(t, role)
		for _, org := range []tokens.OrgID{acme, ""} {
			got := b.introspect(t, org)
			want := introspected{
				Active: true, User: got.User, Session: got.Session, Name: b.email,
				Organization: acme, OrganizationName: "Acme Citrus", Scope: scope, AuthTime: w.clock().Unix(),
			}
			if got != want || !strings.HasPrefix(got.User, "usr_") || !strings.HasPrefix(got.Session, "ses_") {
				t.Errorf("%s of %q: %+v", role, org, got)
			}
		}
		got := b.introspect(t, other)
		if !got.Active || got.Organization != "" || got.OrganizationName != "" || got.Scope != "" {
			t.Errorf("%s of another organization: %+v", role, got)
		}
	}
}

func TestIntrospectionOfASessionEndsWithIt(t *testing.T) {
	t.Parallel()
	w := start(t)
	inactive := introspected{}
	if got := w.browser().introspect(t, acme); got != inactive {
		t.Errorf("without a session: %+v", got)
	}
	b := w.member(t, tokens.RoleOwner)
	if got := b.introspect(t, acme); !got.Active {
		t.Fatalf("%+v", got)
	}
	copied := *b
	b.post(t, "/settings/sign-out", url.Values{})
	if got := copied.introspect(t, acme); got != inactive {
		t.Errorf("after signing out: %+v", got)
	}
	removed := w.member(t, tokens.RoleMember)
	w.exec(t, `DELETE FROM memberships WHERE role = 'member'`)
	if got := removed.introspect(t, acme); !got.Active || got.Organization != "" || got.Scope != "" {
		t.Errorf("a removed member: %+v", got)
	}
	if got := removed.introspect(t, ""); got != (introspected{Next: "/settings"}) {
		t.Errorf("a member of nothing: %+v", got)
	}
	packer := w.member(t, tokens.RolePacker)
	w.exec(t, `UPDATE users SET disabled_at = now() WHERE email LIKE 'packer%'`)
	if got := packer.introspect(t, acme); got != inactive {
		t.Errorf("a disabled account: %+v", got)
	}
}

func TestIntrospectionExtendsTheSession(t *testing.T) {
	t.Parallel()
	w := start(t)
	b := w.member(t, tokens.RoleOwner)
	w.exec(t, `UPDATE sessions SET expires_at = now() + interval '1 minute'`)
	b.introspect(t, acme)
	if n := w.count(t,
		`SELECT count(*) FROM sessions
			WHERE expires_at > now() + interval '25 minutes' AND host(address) = '192.0.2.9'`); n != 1 {
		t.Errorf("%d sessions were extended within %s", n, time.Minute)
	}
}
