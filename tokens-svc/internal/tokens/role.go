package tokens

import (
	"fmt"
	"slices"
	"strings"
)

// Role is a person's role in an organization.
type Role string

// The roles, from the most powerful down.
const (
	RoleOwner    Role = "owner"
	RoleAdmin    Role = "admin"
	RoleMember   Role = "member"
	RoleReviewer Role = "reviewer"
	RolePacker   Role = "packer"
	RoleAuditor  Role = "auditor"
)

// reach is the set of tokens that a principal may change.
type reach int

const (
	reachNone   reach = iota
	reachItself       // the calling token
	reachOwn          // those that the person owns
	reachAll
)

// powers are a role's rights. Every role may list tokens and members.
type powers struct {
	role    Role
	text    string                        // for people
	holds   func(*Catalogue) []Permission // what the person may do on the pages of services
	makes   func(*Catalogue) []Permission // the most that its tokens may be granted; nil: nothing
	tokens  reach                         // the tokens that it may change, rotate and revoke
	audit   bool                          // may read the audit log
	members bool                          // may invite, change and remove members other than owners
	owners  bool                          // may change the organization, and invite, change and remove owners
}

// roles is the authorization table of people. That of tokens is the permission
// of each route in httpapi/transport. A test compares that with the API document.
var roles = []powers{
	{
		role: RoleOwner, text: "All settings, including owners and the organization's name and policies",
		holds: (*Catalogue).All, makes: (*Catalogue).All, tokens: reachAll, audit: true, members: true, owners: true,
	},
	{
		role: RoleAdmin, text: "All settings except owners and the organization's name and policies",
		holds: (*Catalogue).All, makes: (*Catalogue).All, tokens: reachAll, audit: true, members: true,
	},
	{
		role: RoleMember, text: "Works with shipments and documents, and creates tokens for that",
		holds: (*Catalogue).OfMembers, makes: (*Catalogue).OfMembers, tokens: reachOwn,
	},
	{
		role: RoleReviewer, text: "Reads, approves and rejects shipments",
		holds: just("documents:read", "shipments:read", "shipments:review"),
	},
	{
		role: RolePacker, text: "Creates shipments and attaches documents",
		holds: just("documents:write", "shipments:write"),
	},
	{
		role: RoleAuditor, text: "Views shipments, tokens, members and the audit log; can't make changes",
		holds: just("audit:read", "documents:read", "shipments:read"), audit: true,
	},
}

// just returns these permissions, whatever the catalogue has.
func just(names ...Permission) func(*Catalogue) []Permission {
	return func(*Catalogue) []Permission { return names }
}

// Held returns everything that a person with the role may do on the pages of services, sorted.
func (c *Catalogue) Held(r Role) []Permission {
	holds := r.powers().holds
	if holds == nil {
		return nil
	}
	return c.Expand(holds(c))
}

// Text describes the role for people.
func (r Role) Text() string { return r.powers().text }

// mayGrant returns the most that tokens of the role may be granted.
func (c *Catalogue) mayGrant(r Role) []Permission {
	if makes := r.powers().makes; makes != nil {
		return makes(c)
	}
	return nil
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
	return "", fmt.Errorf("must be one of %s", join(Roles(), ", "))
}

// powers returns the rights of r; none for an unknown role.
func (r Role) powers() powers {
	for _, p := range roles {
		if p.role == r {
			return p
		}
	}
	return powers{}
}

// ManagesMembers reports whether r may invite, change and remove members other
// than owners.
func (r Role) ManagesMembers() bool { return r.powers().members }

// MayAssign reports whether r may change a person's role from one to another;
// "" stands for no member.
func (r Role) MayAssign(from, to Role) bool {
	if from == RoleOwner || to == RoleOwner {
		return r.powers().owners
	}
	return r.powers().members
}

// Assignable returns the roles that r may give to a person with the role from,
// the most powerful first.
func (r Role) Assignable(from Role) []Role {
	return slices.DeleteFunc(Roles(), func(to Role) bool { return !r.MayAssign(from, to) })
}

// Owner is the person whose current role in the organization bounds a token.
// The zero Owner stands for the organization: then nothing but the token's own
// permissions bounds it.
type Owner struct {
	ID   string // usr_…
	Name string // e-mail address; "" when the account does not exist
	Role Role   // current; "" if the person is not a member or the account is disabled
}

// IsOrganization reports whether the organization itself is the owner.
func (o Owner) IsOrganization() bool { return o.ID == "" }

// Effective returns everything that t may do now, sorted, with implied
// permissions included: those granted, limited to those that its owner's current
// role allows. It is empty when that role allows none of them.
func (c *Catalogue) Effective(t Token) []Permission {
	granted := c.Expand(t.Permissions)
	if t.Owner.IsOrganization() {
		return granted
	}
	allowed := c.Expand(c.mayGrant(t.Owner.Role))
	if slices.Contains(allowed, Admin) {
		return granted
	}
	return slices.DeleteFunc(granted, func(p Permission) bool { return !slices.Contains(allowed, p) })
}

// Partition returns the organization id under which the services keep the data
// that t works with: that of the organization for a live token, and for a test
// token the same with org_7, with which no organization's begins.
func (t Token) Partition() OrgID {
	if t.Environment == Test {
		return OrgID(strings.Replace(string(t.Organization.ID), "org_0", "org_7", 1))
	}
	return t.Organization.ID
}
