package tokens

import (
	"fmt"
	"slices"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// Principal is the authenticated caller, for the audit log, and its rights. The zero Principal has no rights.
type Principal struct {
	Actor     audit.Actor
	catalogue *Catalogue   // of a person; nil: a token or an operator
	grants    []Permission // the most that its tokens may be allowed; Admin: everything
	powers
	owner    Owner  // of the tokens that it makes
	caller   *Token // the calling token, whose bounds no other may exceed; nil: a person or an operator
	anyLimit bool   // may give tokens more than DefaultRateLimit
	policy   Policy
	key      *Key // idempotency key of the request; nil: none
}

// Operator returns the principal of the command line, with all rights.
func Operator() Principal {
	return Principal{
		Actor: audit.CommandLine, grants: []Permission{Admin}, anyLimit: true,
		powers: powers{Tokens: allTokens, Audit: true, Members: true, Owners: true},
	}
}

// Person returns the principal of a signed-in user with a role in the organization at hand.
func (c *Catalogue) Person(actor audit.Actor, role Role) Principal {
	return Principal{
		Actor: actor, catalogue: c, grants: c.Expand(c.mayGrant(role)), powers: role.powers(),
		owner: Owner{ID: actor.ID, Name: actor.Name, Role: role},
	}
}

// As returns the principal under the role that the person has now. One of another kind stays as it is.
func (p Principal) As(role Role) Principal {
	if p.catalogue == nil {
		return p
	}
	return p.catalogue.Person(p.Actor, role).Under(p.policy).WithKey(p.key)
}

// Bearer returns the principal of a token that calls the API. With the permission admin it may make tokens, change
// those of its own owner, or all if that is the organization, and revoke any, each within its own bounds. Without, it
// may rotate and end itself. A test token knows and makes test tokens only.
func (c *Catalogue) Bearer(actor audit.Actor, caller Token, held []Permission) Principal {
	p := Principal{Actor: actor, grants: c.Expand(held), owner: caller.Owner, caller: &caller}
	p.Tokens = onlyItself
	if slices.Contains(p.grants, Admin) {
		p.Tokens = allTokens
	}
	p.Audit = slices.Contains(p.grants, AuditRead) && caller.Environment != Test
	return p
}

// Grants returns every permission that the principal may give to a token, sorted; Admin alone stands for all.
func (p Principal) Grants() []Permission {
	return slices.DeleteFunc(slices.Clone(p.grants), func(one Permission) bool {
		return one == Admin && !p.grantsAdmin()
	})
}

// MayCreate reports whether the principal may make tokens.
func (p Principal) MayCreate() bool {
	return len(p.grants) > 0 && (p.Tokens == ownTokens || p.Tokens == allTokens)
}

// Sees returns the environment whose tokens exist for the principal, or "" for both.
func (p Principal) Sees() Environment {
	if p.caller != nil && p.caller.Environment == Test {
		return Test
	}
	return ""
}

// MaySee reports whether t exists for the principal.
func (p Principal) MaySee(t Token) bool { return p.Sees() == "" || p.Sees() == t.Environment }

// MayRevoke reports whether the principal may end t.
func (p Principal) MayRevoke(t Token) bool {
	switch p.Tokens {
	case allTokens:
		return p.MaySee(t)
	case ownTokens:
		return p.Actor.ID != "" && t.Owner.ID == p.Actor.ID
	case onlyItself:
		return p.is(t)
	default:
		return false
	}
}

// MayChange reports whether the principal may edit and rotate t. A token whose owner is a person does not change those
// of others: what it gains there would outlast that person's role.
func (p Principal) MayChange(t Token) bool {
	return p.MayRevoke(t) && (p.caller == nil || p.owner.IsOrganization() || p.owner.ID == t.Owner.ID)
}

// MayChooseOwner reports whether the principal may make the organization the owner
// of tokens. No token may: its authority could outlast that of its own owner.
func (p Principal) MayChooseOwner() bool { return p.Tokens == allTokens && p.caller == nil }

// mayChange returns ErrNotFound for what does not exist for the principal, and ErrForbidden for what it may not change.
func (p Principal) mayChange(t Token, what string) error {
	switch {
	case !p.MaySee(t):
		return ErrNotFound
	case p.MayRevoke(t) && !p.MayChange(t):
		return &ForbiddenError{fmt.Sprintf(
			"token %s belongs to another owner than the calling token, which changes tokens of its own owner only; "+
				"make the organization the owner of the calling token, or ask with one of the organization", t.ID,
		)}
	case !p.MayChange(t):
		return p.refuse(what)
	}
	return nil
}

// maker returns the principal as the maker of a token.
func (p Principal) maker() audit.Actor {
	return audit.Actor{Kind: p.Actor.Kind, ID: p.Actor.ID, Name: p.Actor.Name}
}

// is reports whether t is the calling token.
func (p Principal) is(t Token) bool { return p.caller != nil && p.caller.ID == t.ID }

// refuse returns an error that is ErrForbidden and names the operation that the principal may not do.
func (p Principal) refuse(what string) error {
	return &ForbiddenError{fmt.Sprintf("%s %s may not %s", p.Actor.Kind, p.Actor.Name, what)}
}
