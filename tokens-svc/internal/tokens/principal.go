package tokens

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// Principal is the authenticated caller, for the audit log, and its rights.
// The zero Principal has no rights.
type Principal struct {
	Actor  audit.Actor
	grants []Permission // the most that its tokens may be allowed; Admin: everything
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
		powers: powers{Tokens: reachAll, Audit: true, Members: true, Owners: true},
	}
}

// Person returns the principal of a signed-in user with a role in
// the organization at hand.
func (c *Catalogue) Person(actor audit.Actor, role Role) Principal {
	return Principal{
		Actor: actor, grants: c.Expand(c.mayGrant(role)), powers: role.powers(),
		owner: Owner{ID: actor.ID, Name: actor.Name, Role: role},
	}
}

// Bearer returns the principal of a token that calls the API. With the
// permission admin it may make tokens, change those of its own owner, or all
// if that is the organization, and revoke any, each within its own bounds.
// Without, it may rotate and end itself. A test token knows and makes test
// tokens only.
func (c *Catalogue) Bearer(actor audit.Actor, caller Token, held []Permission) Principal {
	p := Principal{Actor: actor, grants: c.Expand(held), owner: caller.Owner, caller: &caller}
	p.Tokens = reachItself
	if slices.Contains(p.grants, Admin) {
		p.Tokens = reachAll
	}
	p.Audit = slices.Contains(p.grants, AuditRead) && caller.Environment != Test
	return p
}

// Grants returns every permission that the principal may give to a token,
// sorted; Admin alone stands for all.
func (p Principal) Grants() []Permission {
	return slices.DeleteFunc(slices.Clone(p.grants), func(one Permission) bool {
		return one == Admin && !p.grantsAdmin()
	})
}

// MayCreate reports whether the principal may make tokens.
func (p Principal) MayCreate() bool {
	return len(p.grants) > 0 && (p.Tokens == reachOwn || p.Tokens == reachAll)
}

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
	switch p.Tokens {
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
func (p Principal) MayChooseOwner() bool { return p.Tokens == reachAll && p.caller == nil }

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

// checkGrant notes that the principal may not give p, the entry of that number.
func (p Principal) checkGrant(wrong *ValidationError, entry int, permission Permission) {
	if permission == Admin && !p.grantsAdmin() {
		wrong.addEntry("permissions", entry, InvalidValue,
			"admin is granted by owners only, in person: the organization requires it")
		return
	}
	if !slices.Contains(p.grants, permission) && !slices.Contains(p.grants, Admin) {
		wrong.addEntry("permissions", entry, InvalidValue,
			"%s is more than you may grant; you may grant %s", permission, list(p.grants))
	}
}

// checkLimit notes a limit above the one that everybody has.
func (p Principal) checkLimit(wrong *ValidationError, r RateLimit) {
	if most := DefaultRateLimit; !p.anyLimit && !r.within(most) {
		wrong.Add("limit", OutOfRange, "may be at most %d, and no more than %d in %d seconds", most.Limit,
			most.Limit, most.WindowSeconds)
	}
}

// refuse returns an error that is ErrForbidden and names the operation that the principal may
// not do.
func (p Principal) refuse(what string) error {
	return &ForbiddenError{fmt.Sprintf("%s %s may not %s", p.Actor.Kind, p.Actor.Name, what)}
}

// checkWithin notes where t exceeds the calling token, so that no token
// makes, widens or renews one that is good for more than itself. People and
// operators have no such bounds.
func (p Principal) checkWithin(wrong *ValidationError, t Token) {
	if p.caller == nil {
		return
	}
	b := *p.caller
	if !p.MaySee(t) {
		wrong.Add("environment", InvalidValue, "must be %s, like that of the calling token", b.Environment)
	}
	if !b.ExpiresAt.IsZero() && (t.ExpiresAt.IsZero() || t.ExpiresAt.After(b.ExpiresAt)) {
		wrong.Add("expires_at", OutOfRange, "must be at the latest %s, when the calling token expires",
			instant(b.ExpiresAt))
	}
	if beyond := outside(t.IPAllow, b.IPAllow); beyond != "" {
		wrong.Add("ip_allow", OutOfRange, "%s is not within a range of the calling token: %s",
			beyond, join(b.IPAllow, ", "))
	}
	if !t.RateLimit.within(b.RateLimit) {
		wrong.Add("limit", OutOfRange, "may be at most that of the calling token: %d in %d seconds",
			b.RateLimit.Limit, b.RateLimit.WindowSeconds)
	}
}

// outside returns the first of the ranges that is in none of the allowed ones,
// or "" if there is none such. No range at all is everything.
func outside(ranges, allowed []netip.Prefix) string {
	if len(allowed) == 0 {
		return ""
	}
	if len(ranges) == 0 {
		return "anywhere"
	}
	for _, r := range ranges {
		covers := func(a netip.Prefix) bool { return a.Bits() <= r.Bits() && a.Contains(r.Addr()) }
		if !slices.ContainsFunc(allowed, covers) {
			return r.String()
		}
	}
	return ""
}

// within reports whether r never admits more requests than most does: neither
// in one window nor on average.
func (r RateLimit) within(most RateLimit) bool {
	return r.Limit <= most.Limit && r.Limit*most.WindowSeconds <= most.Limit*r.WindowSeconds
}

// or returns the limit with omitted parts filled in from another.
func (r RateLimit) or(other RateLimit) RateLimit {
	return RateLimit{cmp.Or(r.Limit, other.Limit), cmp.Or(r.WindowSeconds, other.WindowSeconds)}
}

// complete fills in omitted fields of a draft: from the calling token, whose bounds
// may not be exceeded, or from the defaults.
func (d Draft) complete(principal Principal) Draft {
	limit := DefaultRateLimit
	if d.Environment == "" {
		d.Environment = Live
		if principal.caller != nil {
			d.Environment = principal.caller.Environment
		}
	}
	if principal.caller != nil {
		bound := principal.caller.RateLimit
		limit = RateLimit{min(limit.Limit, bound.Limit), max(limit.WindowSeconds, bound.WindowSeconds)}
		if d.IPAllow == nil {
			for _, r := range principal.caller.IPAllow {
				d.IPAllow = append(d.IPAllow, r.String())
			}
		}
		if d.DefaultExpiry {
			d.ExpiresAt = earlier(principal.caller.ExpiresAt, d.ExpiresAt)
		}
	}
	d.RateLimit = d.RateLimit.or(limit)
	return d
}
