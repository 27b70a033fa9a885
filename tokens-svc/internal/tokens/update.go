package tokens

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// UpdateToken changes a token of org and returns it. A token that asks may not change one that is, or would be, good
// for more than itself. The length of the window stays, because another one would begin anew. A token that becomes good
// for more must be one that the principal may create, whatever of it the patch names. A patch that changes nothing
// leaves no trace. It gives ErrNotFound when org has no such token, ErrForbidden, a StateError for a token that was
// rotated or has ended, ErrChanged, and a ValidationError.
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

func instant(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return audit.Instant(t)
}

// differences returns a change's details for the audit log: the new values, and under "…_before" the old ones.
func differences(old, details map[string]string) map[string]string {
	maps.DeleteFunc(details, func(name, text string) bool { return old[name] == text })
	for name := range maps.Clone(details) {
		details[name+"_before"] = old[name]
	}
	return details
}
