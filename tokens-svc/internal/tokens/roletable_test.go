package tokens

import "testing"

func TestRolesAssignRoles(t *testing.T) {
	t.Parallel()
	const none Role = ""
	all := append(Roles(), none)
	for _, actor := range all {
		for _, from := range all {
			for _, to := range all {
				want := actor == RoleOwner || actor == RoleAdmin && from != RoleOwner && to != RoleOwner
				if got := actor.powers().MayAssign(from, to); got != want {
					t.Errorf("%q changes %q to %q: %t", actor, from, to, got)
				}
			}
		}
	}
	if got := RoleAdmin.powers().Assignable(RoleMember); len(got) != 5 || got[0] != RoleAdmin {
		t.Errorf("%q", got)
	}
}
