package web

import (
	"net/http"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

const mapped = "anna@mapped.example"

// TestAForeignInvitationDoesNotPreventProvisioning: the sign-in that links an
// account which another organization's invitation made provisions its domain.
func TestAForeignInvitationDoesNotPreventProvisioning(t *testing.T) {
	t.Parallel()
	w := start(t, func(c *Config) { c.Issuer = &stub{} })
	code := w.member(t, tokens.RoleOwner).invite(t, mapped, "member")
	wantTo(t, w.browser().post(t, "/sign-in/invitation", acceptance(mapped, code)), api(""))
	real := w.browser()
	if status, _, page := real.atIssuer(t, claimsOf("1", mapped)); status != http.StatusSeeOther {
		t.Fatalf("%d, %s", status, page)
	}
	want(t, real.get(t, "/settings/"+string(other)+"/api"), http.StatusOK, "You are a member of this organization")
}

// TestProvisioningDoesNotUndoARemoval of a person who was a member before the
// issuer was linked, or whose account an operator unlinked.
func TestProvisioningDoesNotUndoARemoval(t *testing.T) {
	t.Parallel()
	w := start(t, func(c *Config) { c.Issuer = &stub{} })
	w.enroll(t, "boss@other.example", other, tokens.RoleOwner)
	boss := w.signedIn(t, "boss@other.example")
	id := w.enroll(t, mapped, other, tokens.RoleMember)
	path := "/settings/" + string(other) + "/members"
	wantTo(t, boss.post(t, path+"/"+string(id)+"/remove", nil), path)
	for range 2 {
		b := w.browser()
		if status, _, page := b.atIssuer(t, claimsOf("1", mapped)); status != http.StatusSeeOther {
			t.Fatalf("%d, %s", status, page)
		}
		want(t, b.get(t, "/settings"), http.StatusOK, "You aren't a member of an organization")
		if done, err := w.people.Unlink(t.Context(), people.User{ID: id, Email: mapped}); !done || err != nil {
			t.Fatalf("%t, %v", done, err)
		}
	}
	boss.inviteTo(t, other, mapped, "auditor")
	b := w.browser()
	if status, _, page := b.atIssuer(t, claimsOf("1", mapped)); status != http.StatusSeeOther {
		t.Fatalf("%d, %s", status, page)
	}
	want(t, b.get(t, "/settings/"+string(other)+"/api"), http.StatusOK, "You are an auditor of this organization")
}
