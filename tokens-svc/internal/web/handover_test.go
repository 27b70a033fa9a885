package web

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// handOver is the form that makes the organization the owner of a token that a test made.
var handOver = url.Values{
	"name": {"ERP"}, "preset": {"full"}, "expiry": {"keep"}, "limit": {"100"}, "owner": {"organization"},
}

// TestATokenIsLimitedByItsOwnersRoleUntilItIsHandedOver: the pages say so, and who hands it over is in the audit log.
func TestATokenIsLimitedByItsOwnersRoleUntilItIsHandedOver(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner, admin := w.member(t, tokens.RoleOwner), w.member(t, tokens.RoleAdmin)
	token := w.token(t, admin, "ERP", func(d *tokens.Draft) { d.Permissions = []string{"admin"} })
	path := api("/" + string(token.ID))
	want(t, owner.get(t, path), http.StatusOK, "admin@acme.example", `!id="limited"`)
	w.exec(t, `UPDATE memberships SET role = 'member' WHERE user_id = '`+token.Owner.ID+`'`)
	want(t, owner.get(t, path), http.StatusOK, `id="limited"`, "It has fewer permissions than it was granted.",
		"not allowed by its owner’s role")
	want(t, owner.get(t, api("")), http.StatusOK, "limited by its owner’s role")
	want(t, admin.get(t, path), http.StatusOK, `id="limited"`)
	want(t, admin.get(t, path+"/edit"), http.StatusOK, `!id="owner-organization"`)
	want(t, admin.post(t, path+"/edit", handOver), http.StatusForbidden)
	w.exec(t, `DELETE FROM memberships WHERE user_id = '`+token.Owner.ID+`'`)
	want(t, owner.get(t, path), http.StatusOK, "no longer a member", "It has no permissions.")

	want(t, owner.get(t, path+"/edit"), http.StatusOK, `id="owner-organization"`, "admin@acme.example")
	for range 2 {
		wantTo(t, owner.post(t, path+"/edit", handOver), path)
	}
	want(t, owner.get(t, path), http.StatusOK, "The organization", `!id="limited"`)
	want(t, owner.get(t, path+"/edit"), http.StatusOK, `!id="owner-organization"`)
	want(t, owner.get(t, "/settings/"+string(acme)+"/audit-log?q=token+updated"), http.StatusOK,
		"Owner before", "admin@acme.example", "owner@acme.example")
	if found, err := w.tokens.Token(t.Context(), acme, token.ID); err != nil || !found.Owner.IsOrganization() {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestOwnersAndAdminsChooseTheOwnerOfANewToken.
func TestOwnersAndAdminsChooseTheOwnerOfANewToken(t *testing.T) {
	t.Parallel()
	w := start(t)
	for role, status := range map[tokens.Role]int{
		tokens.RoleAdmin:  http.StatusOK,
		tokens.RoleMember: http.StatusForbidden,
	} {
		b := w.member(t, role)
		form := b.generateForm(t)
		form.Set("owner", "organization")
		want(t, b.post(t, api(""), form), status)
		shown := `id="owner-organization"`
		if status == http.StatusForbidden {
			shown = "!" + shown
		}
		want(t, b.get(t, api("/new")), http.StatusOK, shown)
	}
	if n := w.count(t, `SELECT count(*) FROM api_tokens WHERE owner_id = ''`); n != 1 {
		t.Errorf("%d tokens belong to the organization", n)
	}
}

// TestRevokingOffersToRevokeWhatTheTokenMade, and does not unless it is chosen.
func TestRevokingOffersToRevokeWhatTheTokenMade(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	token := w.token(t, owner, "Terraform", func(d *tokens.Draft) { d.Permissions = []string{"admin"} })
	asking := w.tokens.Permissions().Bearer(audit.Actor{Kind: audit.Token, ID: string(token.ID), Name: token.Name},
		token,
		w.tokens.Permissions().Effective(token))
	child, _, err := w.tokens.CreateToken(t.Context(), asking, acme,
		tokens.Draft{Name: "Child", Permissions: []string{"shipments:read"}, DefaultExpiry: true})
	if err != nil {
		t.Fatal(err)
	}
	revoked := func() bool {
		t.Helper()
		found, err := w.tokens.Token(t.Context(), acme, child.ID)
		if err != nil {
			t.Fatal(err)
		}
		return !found.RevokedAt.IsZero()
	}
	want(t, owner.get(t, api("/"+string(child.ID)+"/revoke")), http.StatusOK, `!name="children"`)
	path := api("/" + string(token.ID) + "/revoke")
	want(t, owner.get(t, path), http.StatusOK, `name="children" value="true"`, "!checked",
		"1 active token was created with this token")
	wantTo(t, owner.post(t, path, url.Values{"reason": {"lost"}}), api(""))
	if revoked() {
		t.Error("the child is revoked, too")
	}
	wantTo(t, owner.post(t, path, url.Values{"reason": {"lost"}, "children": {"true"}}), api(""))
	if !revoked() {
		t.Error("the child goes on working")
	}
}
