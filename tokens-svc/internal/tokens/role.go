package tokens

import (
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

// tokenSet is the set of tokens that a principal may change.
type tokenSet string

const (
	onlyItself tokenSet = "itself" // the calling token
	ownTokens  tokenSet = "own"    // those that the person owns
	allTokens  tokenSet = "all"
)

// powers are a role's rights, as permissions.json has them. Every role may list tokens and members.
type powers struct {
	Role      Role         `json:"role"`
	Text      string       `json:"text"`       // for people
	Holds     []Permission `json:"holds"`      // what the person may do on the pages of services
	Makes     []Permission `json:"makes"`      // the most that its tokens may be granted
	OfMembers bool         `json:"of_members"` // both are what members may grant, also of further services
	Tokens    tokenSet     `json:"tokens"`     // the tokens that it may change, rotate and revoke
	Audit     bool         `json:"audit"`      // may read the audit log
	Members   bool         `json:"members"`    // may invite, change and remove members other than owners
	Owners    bool         `json:"owners"`     // may change the organization, and invite, change and remove owners
}

// Held returns everything that a person with the role may do on the pages of services, sorted.
func (c *Catalogue) Held(r Role) []Permission { return c.Expand(c.ofRole(r, r.powers().Holds)) }

// mayGrant returns the most that tokens of the role may be granted.
func (c *Catalogue) mayGrant(r Role) []Permission { return c.ofRole(r, r.powers().Makes) }

func (c *Catalogue) ofRole(r Role, named []Permission) []Permission {
	if r.powers().OfMembers {
		return c.OfMembers()
	}
	return named
}

// Text describes the role for people.
func (r Role) Text() string { return r.powers().Text }

// Roles returns every role, from the most powerful down.
func Roles() []Role {
	var all []Role
	for _, p := range builtIn().roles {
		all = append(all, p.Role)
	}
	return all
}

// powers returns the rights of r; none for an unknown role.
func (r Role) powers() powers {
	for _, p := range builtIn().roles {
		if p.Role == r {
			return p
		}
	}
	return powers{}
}

// MayAssign reports whether a person's role may be changed from one to another; "" stands for no member.
func (p powers) MayAssign(from, to Role) bool {
	if from == RoleOwner || to == RoleOwner {
		return p.Owners
	}
	return p.Members
}

// Assignable returns the roles that may be given to a person with the role from, the most powerful first.
func (p powers) Assignable(from Role) []Role {
	return slices.DeleteFunc(Roles(), func(to Role) bool { return !p.MayAssign(from, to) })
}

// MayInvite reports whether r may invite people as a role.
func (r Role) MayInvite(as Role) bool { return r.powers().MayAssign("", as) }

// Owner is the person whose current role in the organization bounds a token. The zero Owner stands for the
// organization: then nothing but the token's own permissions bounds it.
type Owner struct {
	ID   string // usr_…
	Name string // e-mail address; "" when the account does not exist
	Role Role   // current; "" if the person is not a member or the account is disabled
}

// IsOrganization reports whether the organization itself is the owner.
func (o Owner) IsOrganization() bool { return o.ID == "" }

// Effective returns everything that t may do now, sorted, with implied permissions included: those granted, limited to
// those that its owner's current role allows. It is empty when that role allows none of them.
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

// Partition returns the organization id under which the services keep the data that t works with: that of the
// organization for a live token, and for a test token the same with org_7, with which no organization's begins.
func (t Token) Partition() OrgID {
	if t.Environment == Test {
		return OrgID(strings.Replace(string(t.Organization.ID), "org_0", "org_7", 1))
	}
	return t.Organization.ID
}
