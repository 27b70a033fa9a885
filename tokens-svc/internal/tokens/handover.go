package tokens

import (
	"context"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// HandOver makes the organization the owner of a token of org, for good, and
// returns it: from then on no person's role bounds it. It is for owners, admins
// and operators; a token may not do it. A token that the organization owns
// already stays as it is. It gives ErrNotFound when org has no such token,
// ErrForbidden, and a StateError for a token that was rotated or has ended.
func (s *Service) HandOver(ctx context.Context, principal Principal, org OrgID, id TokenID) (Token, error) {
	done, err := s.changeToken(ctx, &principal, org, id, func(t Token) (Step, error) {
		if !principal.MayHandOver() {
			return Step{}, principal.refuse("hand tokens over to the organization")
		}
		if err := t.changeable(s.Now()); err != nil {
			return Step{}, err
		}
		if t.Owner.IsOrganization() {
			return Step{Token: t}, nil
		}
		changed := t
		changed.Owner = Owner{}
		details := differences(t, changed)
		details["name"] = t.Name
		return Step{Kind: Updated, Token: changed, Entry: s.entry(principal, audit.TokenHandedOver, string(id), details)}, nil
	})
	return done.Token, err
}
