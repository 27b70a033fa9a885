package browser

import (
	"net/http"
	"strings"
	"testing"
)

func TestAMemberOfTwoOrganizationsSwitches(t *testing.T) {
	t.Parallel()
	one, other, foreign := found(t, "Cape Fresh Exports"), found(t, "Valle Verde"), found(t, "Another Exporter")
	other.admit(t, one.owner, "auditor")
	b := open(t)
	b.visit("/sign-in")
	b.signIn(one.owner)
	b.visit("/settings")
	b.sees("Your organizations")
	b.accessible()
	b.follow(`#organizations a[href="` + one.shipments("") + `"]`)
	b.sees("No shipments yet")

	b.follow("a.organization")
	b.follow(`#organizations a[href="` + other.shipments("") + `"]`)
	b.follow(`nav.tabs a[href$="/api"]`)
	b.sees("Your role can't create tokens.")
	if b.has("#generate") {
		t.Error("the page offers an auditor to generate a token")
	}
	for _, page := range []string{"/api", "/members", "/audit-log", "/api/new"} {
		if status := b.visit(foreign.path(page)); status != http.StatusNotFound {
			t.Errorf("%s of another organization: got %d, want 404", page, status)
		}
		if strings.Contains(b.body(), foreign.name) {
			t.Errorf("%s names another organization", page)
		}
	}
	if status := b.visit(other.path("/api/new")); status != http.StatusForbidden {
		t.Errorf("the form for a token as an auditor: got %d, want 403", status)
	}
	b.accessible()
}

func TestAMemberDeclinesAnInvitationAndLeaves(t *testing.T) {
	t.Parallel()
	home, o := found(t, "Cape Fresh Exports"), found(t, "Valle Verde")
	member := home.join(t, "auditor")
	owner, b := enter(t, o), open(t)
	b.visit(home.path("/api"))
	b.signIn(member)
	for _, answer := range []string{"Decline", "Accept"} {
		owner.visit(o.path("/members"))
		owner.fill("#email", member.email)
		owner.follow("#invite")
		b.visit("/settings")
		b.accessible()
		b.fitsPhones()
		b.follow(`button[aria-label="` + answer + ` the invitation to Valle Verde"]`)
	}
	if b.path() != "/shipments/"+o.id {
		t.Fatalf("after accepting: got the page %s:\n%s", b.path(), b.body())
	}

	b.visit(o.path("/members"))
	b.accessible()
	b.fitsPhones()
	b.click("#leave")
	b.awaits(`document.querySelector("dialog[open]") && document.activeElement.textContent.trim() === "Cancel"`)
	b.accessible()
	b.follow("dialog #remove")
	b.sees("You left Valle Verde.")
	if status := b.visit(o.path("/members")); status != http.StatusNotFound {
		t.Errorf("the members of the organization that was left: got %d, want 404", status)
	}

	owner.visit(o.path("/members"))
	owner.sees("You can't leave: you are the only owner.")
	owner.accessible()
	if owner.has("#leave") {
		t.Error("the last owner is offered to leave")
	}
	owner.visit(o.path("/audit-log"))
	for _, text := range []string{"Invitation declined", "Member joined", "Member removed"} {
		owner.sees(text)
	}
}

func TestAnInvitationIsAcceptedOnce(t *testing.T) {
	t.Parallel()
	o := found(t, "Cape Fresh Exports")
	owner := enter(t, o)
	owner.follow(`nav.tabs a[href$="/members"]`)
	owner.fill("#email", "no address")
	if status := owner.follow("#invite"); status != http.StatusUnprocessableEntity {
		t.Errorf("an unknown invitation: %d", status)
	}
	owner.awaits(`document.activeElement.id === "summary"`)
	owner.accessible()
	invited := person{email: "new." + o.owner.email, password: "salt and citrus winds"}
	owner.fill("#email", invited.email)
	owner.follow("#invite")
	owner.sees(invited.email)
	owner.accessible()
	_, code := owner.takes(invited.email, "Invitation to "+o.name)
	if strings.Contains(owner.body(), code) {
		t.Error("the inviting person sees the code")
	}

	b := open(t)
	b.visit("/sign-in")
	b.follow("#to-invitation")
	b.accessible()
	b.fill("#email", invited.email)
	b.fill("#code", "AAAA-BBBB-CCCC-DDDD-EEEE")
	b.fill("#name", "Thandi Nkosi")
	b.fill("#password", invited.password)
	if status := b.follow("#accept"); status != http.StatusUnprocessableEntity {
		t.Errorf("a wrong code: %d", status)
	}
	b.accessible()
	b.fill("#code", strings.ToLower(code))
	b.fill("#password", invited.password)
	b.follow("#accept")
	if b.path() != "/shipments/"+o.id {
		t.Fatalf("after joining: got the page %s:\n%s", b.path(), b.body())
	}
	b.sees("Thandi Nkosi")

	again := open(t)
	again.visit("/sign-in/invitation")
	again.fill("#email", invited.email)
	again.fill("#code", code)
	again.fill("#password", invited.password)
	if status := again.follow("#accept"); status != http.StatusUnprocessableEntity {
		t.Errorf("a used code: %d", status)
	}
	owner.visit(o.path("/audit-log"))
	owner.sees(invited.email)
	if strings.Contains(owner.body(), code) {
		t.Error("the code is in the audit log")
	}
}
