package web

import (
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestAMemberIsAskedBeforeJoiningAnotherOrganization: to sign in at the issuer is no consent to every invitation.
func TestAMemberIsAskedBeforeJoiningAnotherOrganization(t *testing.T) {
	t.Parallel()
	w := start(t, withIssuer)
	w.enroll(t, mapped, other, tokens.RoleMember)
	b := w.browser()
	b.enters(t, claimsOf("1", mapped))
	want(t, b.get(t, "/settings"), http.StatusOK, "is now linked to you")
	owner := w.browser()
	w.enroll(t, "owner@acme.example", acme, tokens.RoleOwner)
	owner.enters(t, claimsOf("2", "owner@acme.example"))
	owner.inviteTo(t, acme, mapped, "auditor")

	b.enters(t, claimsOf("1", mapped))
	want(t, b.get(t, api("")), http.StatusNotFound)
	want(t, b.get(t, "/settings"), http.StatusOK, "You have an invitation to Acme Citrus", "Other &amp; Sons",
		"Auditor, invited by", "owner@acme.example")
	want(t, owner.get(t, members("")), http.StatusOK, "Open invitations", "!No open invitations.")
	join := b.offered(t)
	want(t, owner.post(t, "/settings/join", join), http.StatusNotFound)
	wantTo(t, w.browser().post(t, "/settings/join", join), "/sign-in?next=%2Fsettings")

	wantTo(t, b.post(t, "/settings/join", join), shipmentsOfAcme)
	want(t, b.get(t, "/settings"), http.StatusOK, `Acme Citrus</strong><span class="hint">Auditor`)
	want(t, b.post(t, "/settings/join", join), http.StatusNotFound)
	want(t, b.get(t, "/settings"), http.StatusOK, "Your organizations</h1>", "!Accept")
	want(t, owner.get(t, "/settings/"+string(acme)+"/audit-log?q=member+joined"), http.StatusOK, mapped)
}

// offered returns the form that accepts the invitation which the browser's user has.
func (b *browser) offered(t *testing.T) url.Values {
	t.Helper()
	return url.Values{"invitation": {regexp.MustCompile(`inv_[0-9a-z]{26}`).FindString(b.get(t,
		"/settings").Body.String())}}
}

const mapped = "anna@mapped.example"

// TestADomainDoesNotUndoARemoval, also of a person whose account an operator unlinked; an invitation does.
func TestADomainDoesNotUndoARemoval(t *testing.T) {
	t.Parallel()
	w := start(t, withIssuer)
	w.enroll(t, "boss@other.example", other, tokens.RoleOwner)
	boss := w.browser()
	signIn := func(b *browser, subject, email string) {
		t.Helper()
		b.enters(t, claimsOf(subject, email))
	}
	signIn(boss, "2", "boss@other.example")
	b := w.browser()
	signIn(b, "1", mapped)
	const joined = `Other &amp; Sons</strong><span class="hint">`
	want(t, b.get(t, "/settings"), http.StatusOK, joined+"Member")

	id := people.UserID(w.query(t, `SELECT id FROM users WHERE email = '`+mapped+`'`))
	path := "/settings/" + string(other) + "/members"
	wantTo(t, boss.post(t, path+"/"+string(id)+"/remove", nil), path)
	for range 2 {
		b = w.browser()
		signIn(b, "1", mapped)
		want(t, b.get(t, "/settings"), http.StatusOK, "You aren't a member of an organization")
		if done, err := w.people.Unlink(t.Context(), people.User{ID: id, Email: mapped}); !done || err != nil {
			t.Fatalf("%t, %v", done, err)
		}
	}
	boss.inviteTo(t, other, mapped, "auditor")
	signIn(b, "1", mapped)
	wantTo(t, b.post(t, "/settings/join", b.offered(t)), home+"/"+string(other))
	want(t, b.get(t, "/settings"), http.StatusOK, joined+"Auditor")
}
