package tokens

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// Patch is a change of a token. Nil fields stay as they are; the rest is as in a
// Draft, whose zero values it may have: no ranges, no end. Zero parts of the
// limit stay as they are.
type Patch struct {
	Name        *string
	Permissions *[]string
	IPAllow     *[]string
	RateLimit   *RateLimit
	ExpiresAt   *time.Time
	// OfOrganization makes the organization the owner, for good: no person's role
	// bounds the token from then on.
	OfOrganization bool
	// Revision is that of the token which the change is based on; 0: any.
	Revision int64
}

// UpdateToken changes a token of org and returns it. A token that asks may not
// change one that is, or would be, good for more than itself. The length of the
// window stays, because another one would begin anew. A token that becomes good for
// more must be one that the principal may create, whatever of it the patch names. A patch that changes
// nothing leaves no trace. It gives ErrNotFound when org has no such token,
// ErrForbidden, a StateError for a token that was rotated or has ended, ErrChanged,
// and a ValidationError.
func (s *Service) UpdateToken(ctx context.Context, principal Principal, org OrgID, id TokenID, p Patch) (Token, error) {
	var changed Token
	err := s.changeToken(ctx, &principal, org, id, func(tx Tx, t Token) error {
		if err := principal.mayChange(t, "change it"); err != nil {
			return err
		}
		if err := t.changeable(s.Now()); err != nil {
			return err
		}
		if p.Revision != 0 && p.Revision != t.Revision {
			return ErrChanged
		}
		var err error
		if changed, err = p.apply(new(ValidationError), s.config.Permissions, principal, t, s.Now()); err != nil {
			return err
		}
		details := differences(describe(t), describe(changed))
		if len(details) == 0 {
			return nil
		}
		details["name"] = changed.Name
		if err := tx.Record(ctx, s.entry(principal, audit.TokenUpdated, string(id), details)); err != nil {
			return err
		}
		changed.Revision, err = tx.Update(ctx, changed, Updated)
		return err
	})
	return changed, err
}

// apply returns t, a token that is stored or an empty one, with the patch's changes.
func (p Patch) apply(
	wrong *ValidationError, c *Catalogue, principal Principal, t Token, now time.Time,
) (Token, error) {
	before := t
	if p.Name != nil {
		t.Name = wrong.Text("name", *p.Name, 1, maxName)
	}
	if p.Permissions != nil {
		t.Permissions = c.check(wrong, principal, *p.Permissions)
	}
	if p.IPAllow != nil {
		t.IPAllow = checkIPAllow(wrong, *p.IPAllow)
	}
	if p.RateLimit != nil {
		window := t.RateLimit.WindowSeconds
		t.RateLimit = checkRateLimit(wrong, principal, p.RateLimit.or(t.RateLimit))
		// Gateways count windows of each length apart: another length would begin
		// with an unused window.
		if t.RateLimit.WindowSeconds != window {
			wrong.Add("window_seconds", InvalidValue,
				"must stay %d: the window of a token cannot change; create another token for another window", window)
		}
	}
	if p.ExpiresAt != nil {
		t.ExpiresAt = checkExpiry(wrong, *p.ExpiresAt, now)
	}
	if err := wrong.OrNil(); err != nil {
		return t, err
	}
	if p.OfOrganization {
		if !principal.MayChooseOwner() {
			return t, principal.refuse("make the organization the owner of a token")
		}
		t.Owner = Owner{}
	}
	principal.checkWithin(wrong, t)
	if before.ID != "" && c.widens(before, t) {
		for i, permission := range t.Permissions {
			if p.Permissions == nil { // otherwise they are checked above
				principal.checkGrant(wrong, i+1, permission)
			}
		}
		before = Token{} // the policy applies as to a new one
	}
	principal.checkPolicy(wrong, before, t)
	return t, wrong.OrNil()
}

// widens reports whether a changed token is good for longer, from more addresses, for more permissions or
// beyond its owner's role.
func (c *Catalogue) widens(before, after Token) bool {
	had := c.Expand(before.Permissions)
	more := func(p Permission) bool { return !slices.Contains(had, p) }
	return !earlier(before.ExpiresAt, after.ExpiresAt).Equal(after.ExpiresAt) ||
		outside(after.IPAllow, before.IPAllow) != "" || slices.ContainsFunc(after.Permissions, more) ||
		after.Owner.IsOrganization() && !before.Owner.IsOrganization()
}

// describe returns a token's details for the audit log.
func describe(t Token) map[string]string {
	return map[string]string{
		"name":        t.Name,
		"environment": string(t.Environment),
		"permissions": join(t.Permissions, " "),
		"ip_allow":    cmp.Or(join(t.IPAllow, " "), "anywhere"),
		"rate_limit":  fmt.Sprintf("%d in %d s", t.RateLimit.Limit, t.RateLimit.WindowSeconds),
		"expires_at":  instant(t.ExpiresAt),
		"owner":       cmp.Or(t.Owner.Name, t.Owner.ID, "organization"),
	}
}

// differences returns a change's details for the audit log: the new values,
// and under "…_before" the old ones.
func differences(old, details map[string]string) map[string]string {
	maps.DeleteFunc(details, func(name, text string) bool { return old[name] == text })
	for name := range maps.Clone(details) {
		details[name+"_before"] = old[name]
	}
	return details
}
