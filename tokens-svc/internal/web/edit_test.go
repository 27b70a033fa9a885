package web

import (
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func TestATokenIsEditedOnOnePage(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner, member := w.member(t, tokens.RoleOwner), w.member(t, tokens.RoleMember)
	token := w.token(t, owner, "ERP", func(d *tokens.Draft) {
		d.Permissions, d.IPAllow = []string{"admin"}, []string{"192.0.2.0/24"}
	})
	path := api("/" + string(token.ID) + "/edit")
	want(t, owner.get(t, path), http.StatusOK, `value="ERP"`, ">192.0.2.0/24</textarea>",
		`id="expiry-keep" checked`, `id="preset-full" checked`, "Unchanged")
	want(t, member.get(t, path), http.StatusForbidden)
	form := url.Values{
		"name": {"ERP 2"}, "preset": {"custom"}, "permissions": {"shipments:read", "documents:read"}, "expiry": {"none"},
		"ip_allow": {"192.0.2.7\n2001:db8::/32"}, "limit": {"50"},
	}
	want(t, member.post(t, path, form), http.StatusForbidden)
	wrong := maps.Clone(form)
	wrong["limit"] = []string{"many"}
	wrong["name"] = []string{"shpt_live_4fZyo82mVyR1_Qm3pXv9KcT7wNs2LdHb5RjFyAe8UgZ1x2NPy19"}
	want(t, owner.post(t, path, wrong), http.StatusUnprocessableEntity, `href="#limit"`, `href="#name"`,
		"2001:db8::/32", "!Qm3pXv9KcT7w")
	form.Set("version", strconv.FormatInt(token.Revision, 10))
	wantTo(t, owner.post(t, path, form), api("/"+string(token.ID)))
	want(t, owner.post(t, path, url.Values{"name": {"ERP 3"}, "version": form["version"]}), http.StatusConflict,
		"nothing was saved", `value="ERP 2"`, ">192.0.2.7/32\n2001:db8::/32</textarea>")
	changed, err := w.tokens.Token(t.Context(), acme, token.ID)
	if err != nil || changed.Name != "ERP 2" || len(changed.Permissions) != 2 || !changed.ExpiresAt.IsZero() ||
		changed.RateLimit.Limit != 50 || changed.IPAllow[0] != netip.MustParsePrefix("192.0.2.7/32") {
		t.Errorf("%+v, %v", changed, err)
	}
}

// TestAnEditLeavesWhatItDoesNotChange: a limit that operators gave, and permissions that this person may not grant.
func TestAnEditLeavesWhatItDoesNotChange(t *testing.T) {
	t.Parallel()
	w := start(t)
	member := w.member(t, tokens.RoleMember)
	token := w.token(t, member, "ERP")
	w.exec(t, `UPDATE api_tokens SET permissions = '{webhooks:manage}', rate_limit = 900`)
	path := api("/" + string(token.ID) + "/edit")
	want(t, member.get(t, path), http.StatusOK, `id="permission-webhooks:manage" checked`)
	form := url.Values{
		"name": {"Scanner"}, "preset": {"custom"}, "permissions": {"webhooks:manage"}, "expiry": {"keep"}, "limit": {"900"},
	}
	wantTo(t, member.post(t, path, form), api("/"+string(token.ID)))
	changed, err := w.tokens.Token(t.Context(), acme, token.ID)
	if err != nil || changed.Name != "Scanner" || !changed.ExpiresAt.Equal(token.ExpiresAt) ||
		changed.Permissions[0] != "webhooks:manage" || changed.RateLimit.Limit != 900 {
		t.Errorf("%+v, %v", changed, err)
	}
}
