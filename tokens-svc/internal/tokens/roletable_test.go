package tokens

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestTheREADMEHasTheRoleTable as the code has it.
func TestTheREADMEHasTheRoleTable(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	yes := map[bool]string{true: "yes", false: ""}
	reaches := map[reach]string{reachAll: "all", reachOwn: "own"}
	table := "| role | tokens may be granted | changes, rotates, revokes tokens | reads the audit log | manages members | manages owners |\n|---|---|---|---|---|---|\n"
	for _, p := range roles {
		grants := list(builtIn().mayGrant(p.role))
		if len(builtIn().mayGrant(p.role)) == len(builtIn().All()) {
			grants = "all"
		}
		table += strings.ReplaceAll(fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", p.role, grants, reaches[p.tokens], yes[p.audit], yes[p.members], yes[p.owners]), "|  |", "| |")
	}
	table = strings.ReplaceAll(table, "|  |", "| |")
	if !strings.Contains(string(readme), table) {
		t.Errorf("README.md lacks this table:\n%s", table)
	}
}

func TestRolesAssignRoles(t *testing.T) {
	t.Parallel()
	const none Role = ""
	all := append(Roles(), none)
	for _, actor := range all {
		for _, from := range all {
			for _, to := range all {
				want := actor == RoleOwner || actor == RoleAdmin && from != RoleOwner && to != RoleOwner
				if got := actor.MayAssign(from, to); got != want {
					t.Errorf("%q changes %q to %q: %t", actor, from, to, got)
				}
			}
		}
		if got, want := actor.ManagesMembers(), actor == RoleOwner || actor == RoleAdmin; got != want {
			t.Errorf("%q manages members: %t", actor, got)
		}
	}
	if got := RoleAdmin.Assignable(RoleMember); len(got) != 3 || got[0] != RoleAdmin {
		t.Errorf("%q", got)
	}
}
