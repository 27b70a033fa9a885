package tokens

import (
	"fmt"
	"slices"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// Principal is who asks for something, for the audit log, and what that one
// may do. The zero Principal may do nothing.
type Principal struct {
	Actor    audit.Actor
	grants   []Permission // expanded: the most that its tokens may be allowed
	tokens   reach
	audit    bool
	anyLimit bool // may give tokens more than DefaultRateLimit
}

// Operator returns the principal of the command line, who may do everything.
func Operator() Principal {
	return Principal{Actor: audit.CommandLine, grants: AllPermissions(), tokens: reachAll, audit: true, anyLimit: true}
}

// Person returns the principal of somebody who is signed in and has a role in
// the organization at hand.
func Person(actor audit.Actor, role Role) Principal {
	p := role.powers()
	return Principal{Actor: actor, grants: Expand(p.grants), tokens: p.tokens, audit: p.audit}
}

// Bearer returns the principal of a token that asks through the API: with the
// permission admin it may do what an admin may, and otherwise rotate and end
// itself.
func Bearer(actor audit.Actor, held []Permission) Principal {
	p := Principal{Actor: actor, grants: Expand(held), tokens: reachItself}
	if slices.Contains(p.grants, Admin) {
		p.tokens, p.audit = reachAll, true
	}
	return p
}

// Grants returns every permission that the principal may give to a token,
// sorted.
func (p Principal) Grants() []Permission { return slices.Clone(p.grants) }

// MayCreate reports whether the principal may make tokens.
func (p Principal) MayCreate() bool {
	return len(p.grants) > 0 && (p.tokens == reachOwn || p.tokens == reachAll)
}

// MayChange reports whether the principal may edit, rotate and revoke t.
func (p Principal) MayChange(t Token) bool {
	switch p.tokens {
	case reachAll:
		return true
	case reachOwn:
		return p.Actor.ID != "" && t.CreatedBy.Kind == p.Actor.Kind && t.CreatedBy.ID == p.Actor.ID
	case reachItself:
		return p.Actor.Kind == audit.Token && string(t.ID) == p.Actor.ID
	default:
		return false
	}
}

// MayReadAudit reports whether the principal may read the audit log.
func (p Principal) MayReadAudit() bool { return p.audit }

// checkGrant notes that the principal may not give p, the entry of that number.
func (p Principal) checkGrant(wrong *ValidationError, entry int, permission Permission) {
	if !slices.Contains(p.grants, permission) {
		wrong.addEntry("permissions", entry, InvalidValue, "%s is more than you may grant; you may grant %s", permission, list(p.grants))
	}
}

// checkLimit notes a limit above the one that everybody has.
func (p Principal) checkLimit(wrong *ValidationError, r RateLimit) {
	most := DefaultRateLimit
	if !p.anyLimit && (r.Limit > most.Limit || r.Limit*int(most.Window.Seconds()) > most.Limit*int(r.Window.Seconds())) {
		wrong.add("limit", OutOfRange, "may be at most %d, and no more than %d in %.0f seconds", most.Limit, most.Limit, most.Window.Seconds())
	}
}

// refuse returns ErrForbidden with what the principal may not do.
func (p Principal) refuse(what string) error {
	return fmt.Errorf("%w: %s %s may not %s", ErrForbidden, p.Actor.Kind, p.Actor.Name, what)
}
