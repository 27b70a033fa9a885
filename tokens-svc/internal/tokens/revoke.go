package tokens

import (
	"context"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// RevokeToken ends a token of org for good and returns it. Revoking it again
// changes nothing, neither the time nor the reason. It gives ErrNotFound when
// org has no such token, ErrForbidden, and a ValidationError for the reason.
//
// It is also how the overlap of a rotated token is ended early.
func (s *Service) RevokeToken(ctx context.Context, principal Principal, org OrgID, id TokenID, reason string) (Token, error) {
	var wrong ValidationError
	reason = wrong.Text("reason", reason, 0, maxReason)
	if err := wrong.OrNil(); err != nil {
		return Token{}, err
	}
	done, err := s.changeToken(ctx, org, id, principal.key, func(t Token) (Step, error) {
		if !principal.MaySee(t) {
			return Step{}, ErrNotFound
		}
		if !principal.MayRevoke(t) {
			return Step{}, principal.refuse("revoke it")
		}
		if !t.RevokedAt.IsZero() {
			return Step{Token: t}, nil
		}
		t.RevokedAt, t.RevokedReason = s.Now(), reason
		details := map[string]string{"name": t.Name}
		if reason != "" {
			details["reason"] = reason
		}
		return Step{Kind: Revoked, Token: t, Entry: s.entry(principal, audit.TokenRevoked, string(id), details)}, nil
	})
	return done.Token, err
}
