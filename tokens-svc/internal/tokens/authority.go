package tokens

import (
	"slices"
	"strings"
)

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

// Limited reports whether t may do less than it was granted, because of its
// owner's role.
func (c *Catalogue) Limited(t Token) bool { return len(c.Effective(t)) < len(c.Expand(t.Permissions)) }

// Partition returns the organization id under which the services keep the data
// that t works with: that of the organization for a live token, and for a test
// token the same with org_7, with which no organization's begins.
func (t Token) Partition() OrgID {
	if t.Environment == Test {
		return OrgID(strings.Replace(string(t.Organization.ID), "org_0", "org_7", 1))
	}
	return t.Organization.ID
}
