package people

import "github.com/quayside/quayside/tokens-svc/internal/tokens"

// ManagesMembers reports whether a role may invite, and change and remove
// members who are no owners.
func ManagesMembers(r tokens.Role) bool { return r == tokens.RoleOwner || r == tokens.RoleAdmin }

// MayAssign reports whether somebody with the role by may turn a person who is
// from into one who is to; "" stands for no member. Owners are made, changed
// and removed by owners.
func MayAssign(principal, client, to tokens.Role) bool {
	return principal == tokens.RoleOwner || principal == tokens.RoleAdmin && client != tokens.RoleOwner && to != tokens.RoleOwner
}

// Assignable returns the roles that by may give to somebody who is from, the
// most powerful first.
func Assignable(principal, client tokens.Role) []tokens.Role {
	var may []tokens.Role
	for _, to := range tokens.Roles() {
		if MayAssign(principal, client, to) {
			may = append(may, to)
		}
	}
	return may
}
