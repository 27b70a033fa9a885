package tokens

import (
	"fmt"
	"slices"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// Principal is the authenticated caller, for the audit log, and its rights.
// The zero Principal has no rights.
type Principal struct {
	Actor    audit.Actor
	grants   []Permission // the most that its tokens may be allowed; Admin: everything
	tokens   reach
	owner    Owner  // of the tokens that it makes
	caller   *Token // the calling token, whose bounds no other may exceed; nil: a person or an operator
	audit    bool
	anyLimit bool // may give tokens more than DefaultRateLimit
	// organization reports whether the principal may change the organization's name and policy.
	organization bool
	policy       Policy
	key          *Key // idempotency key of the request; nil: none
}

// Operator returns the principal of the command line, with all rights.
func Operator() Principal {
	return Principal{
		Actor: audit.CommandLine, grants: []Permission{Admin}, tokens: reachAll, audit: true, anyLimit: true,
		organization: true,
	}
}

// Person returns the principal of a signed-in user with a role in
// the organization at hand.
func (c *Catalogue) Person(actor audit.Actor, role Role) Principal {
	p := role.powers()
	return Principal{
		Actor: actor, grants: c.Expand(c.mayGrant(role)), tokens: p.tokens, audit: p.audit,
		organization: p.owners,
		owner:        Owner{ID: actor.ID, Name: actor.Name, Role: role},
	}
}

// Bearer returns the principal of a token that calls the API. With the
// permission admin it may make tokens, change those of its own owner, or all
// if that is the organization, and revoke any, each within its own bounds.
// Without, it may rotate and end itself. A test token knows of test tokens
// only.
func (c *Catalogue) Bearer(actor audit.Actor, caller Token, held []Permission) Principal {
	p := Principal{Actor: actor, grants: c.Expand(held), tokens: reachItself, owner: caller.Owner, caller: &caller}
	if slices.Contains(p.grants, Admin) {
		p.tokens = reachAll
	}
	p.audit = slices.Contains(p.grants, AuditRead) && caller.Environment != Test
	return p
}

// Grants returns every permission that the principal may give to a token,
// sorted; Admin alone stands for all.
func (p Principal) Grants() []Permission { return p.withoutAdmin(slices.Clone(p.grants)) }

// MayCreate reports whether the principal may make tokens.
func (p Principal) MayCreate() bool {
	return len(p.grants) > 0 && (p.tokens == reachOwn || p.tokens == reachAll)
}

// MayChangeOrganization reports whether the principal may change the organization's name and policy.
func (p Principal) MayChangeOrganization() bool { return p.organization }

// Sees returns the environment whose tokens exist for the principal, or "" for
// both.
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
	switch p.tokens {
	case reachAll:
		return p.MaySee(t)
	case reachOwn:
		return p.Actor.ID != "" && t.Owner.ID == p.Actor.ID
	case reachItself:
		return p.is(t)
	default:
		return false
	}
}

// MayChange reports whether the principal may edit and rotate t. A token whose
// owner is a person does not change those of others: what it gains there would
// outlast that person's role.
func (p Principal) MayChange(t Token) bool {
	return p.MayRevoke(t) && (p.caller == nil || p.owner.IsOrganization() || p.owner.ID == t.Owner.ID)
}

// MayChooseOwner reports whether the principal may make the organization the owner
// of tokens. No token may: its authority could outlast that of its own owner.
func (p Principal) MayChooseOwner() bool { return p.tokens == reachAll && p.caller == nil }

// ofOrganization returns t as a token of the organization, or ErrForbidden.
func (p Principal) ofOrganization(t Token) (Token, error) {
	if !p.MayChooseOwner() {
		return t, p.refuse("make the organization the owner of a token")
	}
	t.Owner = Owner{}
	return t, nil
}

// mayChange returns ErrNotFound for what does not exist for the principal, and
// ErrForbidden for what it may not change.
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

// MayReadAudit reports whether the principal may read the audit log.
func (p Principal) MayReadAudit() bool { return p.audit }

// checkGrant notes that the principal may not give p, the entry of that number.
func (p Principal) checkGrant(wrong *ValidationError, entry int, permission Permission) {
	if permission == Admin && !p.grantsAdmin() {
		wrong.addEntry("permissions", entry, InvalidValue, "admin is granted by owners only, in person: the organization "+
			"requires it")
		return
	}
	if !slices.Contains(p.grants, permission) && !slices.Contains(p.grants, Admin) {
		wrong.addEntry("permissions", entry, InvalidValue,
			"%s is more than you may grant; you may grant %s", permission, list(p.grants))
	}
}

// checkLimit notes a limit above the one that everybody has.
func (p Principal) checkLimit(wrong *ValidationError, r RateLimit) {
	most := DefaultRateLimit
	if !p.anyLimit && !r.within(most) {
		wrong.Add("limit", OutOfRange, "may be at most %d, and no more than %d in %.0f seconds", most.Limit,
			most.Limit, most.Window.Seconds())
	}
}

// refuse returns an error that is ErrForbidden and names the operation that the principal may
// not do.
func (p Principal) refuse(what string) error {
	return &ForbiddenError{fmt.Sprintf("%s %s may not %s", p.Actor.Kind, p.Actor.Name, what)}
}
