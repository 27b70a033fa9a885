package tokens

import (
	"context"
	"maps"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// Patch is a change of a token. Nil fields stay as they are; the rest is as in a Draft, whose zero values it may have:
// no ranges, no end. Zero parts of the limit stay as they are.
type Patch struct {
	Name        *string
	Permissions *[]string
	IPAllow     *[]string
	RateLimit   *RateLimit
	ExpiresAt   *time.Time
	// OfOrganization makes the organization the owner, for good: no person's role bounds the token from then on.
	OfOrganization bool
	// Revision is that of the token which the change is based on; 0: any.
	Revision int64
}

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

// differences returns a change's details for the audit log: the new values, and under "…_before" the old ones.
func differences(old, details map[string]string) map[string]string {
	maps.DeleteFunc(details, func(name, text string) bool { return old[name] == text })
	for name := range maps.Clone(details) {
		details[name+"_before"] = old[name]
	}
	return details
}
