package web

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestAnInvitationEndsWithItsInvitersAuthority: removed, demoted or disabled.
func TestAnInvitationEndsWithItsInvitersAuthority(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		inviter tokens.Role
		end     func(*testing.T, *world, *browser, people.UserID)
		ended   int // of an invitation as the inviter's own role and one as member
	}{
		"an admin is removed": {tokens.RoleAdmin, removeMember, 2},
		"an owner is removed": {tokens.RoleOwner, removeMember, 2},
		"an admin leaves": {tokens.RoleAdmin, func(t *testing.T, w *world, _ *browser, id people.UserID) {
			t.Helper()
			wantTo(t, w.signedIn(t, "inviter@acme.example").post(t, members("/"+string(id)+"/remove"), nil), "/settings")
		}, 2},
		"an admin is demoted":              {tokens.RoleAdmin, changeRole("member"), 2},
		"an owner is demoted":              {tokens.RoleOwner, changeRole("admin"), 1},
		"an admin is promoted":             {tokens.RoleAdmin, changeRole("owner"), 0},
		"an owner's account is disabled":   {tokens.RoleOwner, disable, 2},
		"an admin's account is disabled":   {tokens.RoleAdmin, disable, 2},
		"the same invitations, unaffected": {tokens.RoleOwner, func(*testing.T, *world, *browser, people.UserID) {}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t)
			boss := w.member(t, tokens.RoleOwner)
			id := w.enroll(t, "inviter@acme.example", acme, c.inviter)
			inviter := w.signedIn(t, "inviter@acme.example")
			codes := []string{
				inviter.invite(t, "first@acme.example", string(c.inviter)), inviter.invite(t, "second@acme.example", "member"),
			}
			kept := boss.invite(t, "third@acme.example", "owner")
			c.end(t, w, boss, id)
			for i, email := range []string{"first@acme.example", "second@acme.example"} {
				res := w.browser().post(t, "/sign-in/invitation", acceptance(email, codes[i]))
				if i < c.ended {
					want(t, res, http.StatusUnprocessableEntity, "This code isn't valid")
				} else {
					wantTo(t, res, shipmentsOfAcme)
				}
			}
			wantTo(t, w.browser().post(t, "/sign-in/invitation", acceptance("third@acme.example", kept)), shipmentsOfAcme)
			want(t, boss.get(t, members("")), http.StatusOK, "No open invitations.")
		})
	}
}

func removeMember(t *testing.T, _ *world, boss *browser, id people.UserID) {
	t.Helper()
	want(t, boss.get(t, members("/"+string(id)+"/remove")), http.StatusOK, "Their open invitations are no longer valid.")
	wantTo(t, boss.post(t, members("/"+string(id)+"/remove"), nil), members(""))
}

func changeRole(to string) func(*testing.T, *world, *browser, people.UserID) {
	return func(t *testing.T, _ *world, boss *browser, id people.UserID) {
		t.Helper()
		wantTo(t, boss.post(t, members("/"+string(id)+"/role"), url.Values{"role": {to}}), members(""))
	}
}

func disable(t *testing.T, w *world, _ *browser, id people.UserID) {
	t.Helper()
	u, err := w.people.User(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.people.Disable(t.Context(), u, "fraud"); err != nil {
		t.Fatal(err)
	}
}
