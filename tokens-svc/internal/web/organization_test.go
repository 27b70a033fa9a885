package web

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func TestOwnersChangeTheOrganization(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner, admin := w.member(t, tokens.RoleOwner), w.member(t, tokens.RoleAdmin)
	path := "/settings/" + string(acme) + "/organization"
	form := url.Values{
		"name": {"Acme & Daughters"}, "max_days": {"30"}, "require_addresses": {"true"}, "owners_grant_admin": {"true"},
	}
	want(t, admin.get(t, path), http.StatusOK, string(acme), "Only owners", "!Save changes")
	want(t, admin.post(t, path, form), http.StatusForbidden)
	for _, days := range []string{"0", "-1", "many", "3651"} {
		wrong := url.Values{"name": {""}, "max_days": {days}}
		want(t, owner.post(t, path, wrong), http.StatusUnprocessableEntity, `href="#max_days"`, `href="#name"`)
	}
	wantTo(t, owner.post(t, path, form), path)
	want(t, owner.post(t, path, url.Values{"name": {"Acme"}, "version": {"0"}}), http.StatusConflict,
		"nothing was saved", "Acme &amp; Daughters", `value="30"`)
	want(t, owner.get(t, path), http.StatusOK, "Acme &amp; Daughters", `value="30"`, `id="owners_grant_admin" checked`)
	want(t, owner.get(t, auditLog("?action="+string(audit.OrganizationUpdated))), http.StatusOK,
		"<li>Max token days: ", "<li>Name before: ", "Acme Citrus")

	want(t, admin.get(t, api("/new")), http.StatusOK, `id="expiry-30" checked`, "!expiry-60", "!expiry-none",
		"!permission-admin", "requires at least one", "at most 30 days")
	token := admin.generateForm(t)
	want(t, admin.post(t, api(""), token), http.StatusUnprocessableEntity, "the organization allows tokens 30 days")
	token["expiry"], token["day"] = []string{"custom"}, []string{w.clock().UTC().AddDate(0, 0, 30).Format(time.DateOnly)}
	want(t, admin.post(t, api(""), token), http.StatusUnprocessableEntity,
		`max="`+token.Get("day")+`"`, "!the organization allows tokens")
	token.Set("expiry", "30")
	want(t, admin.post(t, api(""), token), http.StatusUnprocessableEntity, `href="#ip_allow"`)
	token.Set("ip_allow", "192.0.2.0/24")
	token.Set("preset", "full") // which the form does not offer
	want(t, admin.post(t, api(""), token), http.StatusUnprocessableEntity, "admin is granted by owners only")
	token.Set("form", owner.nonce(t, api("/new")))
	want(t, owner.post(t, api(""), token), http.StatusOK, "Copy your new token")
}
