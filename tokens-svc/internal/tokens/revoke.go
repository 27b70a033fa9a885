package tokens

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// Revocation is the end of tokens, all at once.
type Revocation struct {
	Tokens  []TokenID
	At      time.Time
	Reason  string
	Entries []audit.Entry // one for each token
}

// RevokeToken ends a token of org for good and returns it; with children also its
// Children, as far as the principal may revoke them, in one change. Revoking it again
// changes nothing, neither the time nor the reason. It gives ErrNotFound when
// org has no such token, ErrForbidden, and a ValidationError for the reason.
//
// It is also how the overlap of a rotated token is ended early.
func (s *Service) RevokeToken(
	ctx context.Context, principal Principal, org OrgID, id TokenID, reason string, children bool,
) (Token, error) {
	var wrong ValidationError
	reason = wrong.Text("reason", reason, 0, maxReason)
	if err := wrong.OrNil(); err != nil {
		return Token{}, err
	}
	now := s.Now()
	t, err := s.repo.RevokeTokens(ctx, org, id, children, s.terms(&principal),
		func(t Token, made []Token) (Revocation, error) {
			if !principal.MaySee(t) {
				return Revocation{}, ErrNotFound
			}
			if !principal.MayRevoke(t) {
				return Revocation{}, principal.refuse("revoke it")
			}
			r := Revocation{At: now, Reason: reason}
			end := func(t Token) {
				details := map[string]string{"name": t.Name}
				if reason != "" {
					details["reason"] = reason
				}
				r.Tokens = append(r.Tokens, t.ID)
				r.Entries = append(r.Entries, s.entry(principal, audit.TokenRevoked, string(t.ID), details))
			}
			if t.RevokedAt.IsZero() {
				end(t)
			}
			for _, child := range made {
				if child.Status(now) == StatusActive && principal.MayRevoke(child) {
					end(child)
				}
			}
			return r, nil
		})
	if err != nil {
		return Token{}, fmt.Errorf("token %s of organization %s: %w", id, org, err)
	}
	return t, nil
}

// Children returns the active tokens of org that were made by a token, by another
// one of its chain of rotations, or by such a child in turn: created, or rotated
// into. It gives ErrNotFound when org has no such token.
func (s *Service) Children(ctx context.Context, org OrgID, id TokenID) ([]Token, error) {
	all, err := s.repo.Descendants(ctx, org, id)
	if err != nil {
		return nil, fmt.Errorf("children of token %s of organization %s: %w", id, org, err)
	}
	now := s.Now()
	return slices.DeleteFunc(all, func(t Token) bool { return t.Status(now) != StatusActive }), nil
}
