package web

import (
	"net/http"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestAnybodyMayLeaveAnOrganization, by the rules for a member who is removed.
func TestAnybodyMayLeaveAnOrganization(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.enroll(t, "second@acme.example", acme, tokens.RoleOwner)
	for _, role := range tokens.Roles() {
		b := w.member(t, role)
		id := string(w.enroll(t, b.email, acme, role))
		want(t, b.get(t, members("")), http.StatusOK,
			`href="`+members("/"+id+"/remove")+`">Leave organization</a>`, "!Remove "+b.email)
		want(t, b.get(t, members("/"+id+"/remove")), http.StatusOK, "Leave Acme Citrus?",
			"You lose access at once.", "data-cancel autofocus")
		if b.get(t, api("/new")).Code == http.StatusOK { // the role may create tokens
			w.token(t, b, "mine of "+b.email)
		}
		wantTo(t, b.post(t, members("/"+id+"/remove"), nil), "/settings")
		want(t, b.get(t, "/settings"), http.StatusOK, "You left Acme Citrus.", "You aren't a member of an organization")
		wantTo(t, b.get(t, api("")), "/settings")
		wantTo(t, b.post(t, members("/"+id+"/remove"), nil), "/settings")
		if n := w.count(t, `SELECT count(*) FROM audit_events WHERE action = 'member.removed' AND target = '`+id+
			`' AND actor_id = target`); n != 1 {
			t.Errorf("%s: %d events", role, n)
		}
	}
	if n := w.count(t, `SELECT count(*) FROM memberships`); n != 1 {
		t.Errorf("%d members are left", n)
	}
}

func TestTheLastOwnerReadsWhyTheyCannotLeave(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	w.member(t, tokens.RoleAdmin)
	id := string(w.enroll(t, owner.email, acme, tokens.RoleOwner))
	want(t, owner.get(t, members("")), http.StatusOK,
		"You can't leave: you are the only owner. Make another member an owner first.", "!Leave organization")
	want(t, owner.get(t, members("/"+id+"/remove")), http.StatusConflict, "An organization needs an owner")
	want(t, owner.post(t, members("/"+id+"/remove"), nil), http.StatusConflict, "An organization needs an owner")
	want(t, owner.get(t, api("")), http.StatusOK)
}

func TestAnInvitationIsDeclined(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	w.enroll(t, "anna@other.example", other, tokens.RoleOwner)
	code := owner.invite(t, "anna@other.example", "member")
	anna := w.signedIn(t, "anna@other.example")
	want(t, anna.get(t, "/settings"), http.StatusOK, `aria-label="Accept the invitation to Acme Citrus"`,
		`aria-label="Decline the invitation to Acme Citrus"`)
	form := anna.offered(t)
	want(t, owner.post(t, "/settings/decline", form), http.StatusNotFound)
	wantTo(t, w.browser().post(t, "/settings/decline", form), "/sign-in?next=%2Fsettings")

	wantTo(t, anna.post(t, "/settings/decline", form), "/settings")
	want(t, anna.get(t, "/settings"), http.StatusOK, "You declined the invitation to Acme Citrus.")
	for _, path := range []string{"/settings/join", "/settings/decline"} {
		want(t, anna.post(t, path, form), http.StatusNotFound)
	}
	answer := acceptance("anna@other.example", code)
	answer.Set("password", secret)
	want(t, w.browser().post(t, "/sign-in/invitation", answer), http.StatusUnprocessableEntity, "This code isn't valid")
	want(t, owner.get(t, members("")), http.StatusOK, "No open invitations.")
	want(t, owner.get(t, "/settings/"+string(acme)+"/audit-log?action=invitation.declined"), http.StatusOK,
		"anna@other.example", "Role: ")
	if n := w.count(t,
		`SELECT count(*) FROM audit_events
			WHERE action = 'invitation.declined' AND actor_name = 'anna@other.example'`); n != 1 {
		t.Errorf("%d events", n)
	}
}
