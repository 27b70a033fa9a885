package tokens

import (
	"fmt"
	"slices"
	"strings"
)

// Role is what a person is in an organization.
type Role string

// The roles, from the most powerful down.
const (
	RoleOwner   Role = "owner"   // everything
	RoleAdmin   Role = "admin"   // everything but to make, change or remove owners
	RoleMember  Role = "member"  // makes tokens for data, and changes their own
	RoleAuditor Role = "auditor" // sees everything and changes nothing
)

// reach says whose tokens somebody may change.
type reach int

const (
	reachNone   reach = iota
	reachItself       // a token: the one that asks
	reachOwn          // those that they made
	reachAll
)

// powers are what a role amounts to, as far as tokens and the audit log go.
type powers struct {
	role   Role
	grants []Permission // what its tokens may be allowed
	tokens reach
	audit  bool // may read the audit log
}

var roles = []powers{
	{RoleOwner, AllPermissions(), reachAll, true},
	{RoleAdmin, AllPermissions(), reachAll, true},
	{RoleMember, []Permission{DocumentsRead, DocumentsWrite, ShipmentsRead, ShipmentsWrite}, reachOwn, false},
	{RoleAuditor, nil, reachNone, true},
}

// Roles returns every role, from the most powerful down.
func Roles() []Role {
	all := make([]Role, len(roles))
	for i, p := range roles {
		all[i] = p.role
	}
	return all
}

// ParseRole reads a role.
func ParseRole(text string) (Role, error) {
	if r := Role(text); slices.Contains(Roles(), r) {
		return r, nil
	}
	names := make([]string, len(roles))
	for i, p := range roles {
		names[i] = string(p.role)
	}
	return "", fmt.Errorf("%q is no role; want one of %s", Scrub(text), strings.Join(names, ", "))
}

// powers returns what r amounts to; a role that does not exist, to nothing.
func (r Role) powers() powers {
	for _, p := range roles {
		if p.role == r {
			return p
		}
	}
	return powers{}
}
