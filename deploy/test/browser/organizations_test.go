package browser

import "testing"

func TestAMemberOfTwoOrganizationsSwitches(t *testing.T) {
	t.Parallel()
	one, other := found(t, "Cape Fresh Exports"), found(t, "Valle Verde")
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
	b.accessible()
}
