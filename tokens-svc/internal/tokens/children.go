package tokens

import (
	"context"
	"fmt"
	"slices"
)

// Children returns the active tokens of org that were made with a token, with
// another one of its chain of rotations, or with such a child in turn. It gives
// ErrNotFound when org has no such token.
func (s *Service) Children(ctx context.Context, org OrgID, id TokenID) ([]Token, error) {
	all, err := s.repo.Descendants(ctx, org, id)
	if err != nil {
		return nil, fmt.Errorf("children of token %s of organization %s: %w", id, org, err)
	}
	now := s.Now()
	return slices.DeleteFunc(all, func(t Token) bool { return t.Status(now) != StatusActive }), nil
}

// RevokeWithChildren is RevokeToken for a token and its Children, as far as the
// principal may revoke them. The token goes first, so that it makes no more;
// each revocation is a change of its own. When the storage fails in between,
// those that were revoked stay so, and the same call does the rest.
func (s *Service) RevokeWithChildren(ctx context.Context, principal Principal, org OrgID, id TokenID, reason string) (Token, error) {
	t, err := s.RevokeToken(ctx, principal, org, id, reason)
	if err != nil {
		return Token{}, err
	}
	principal = principal.WithKey(nil) // it named the token's own revocation

	for { // until none is added by a child that is still to be revoked
		children, err := s.Children(ctx, org, id)
		if err != nil {
			return Token{}, err
		}
		children = slices.DeleteFunc(children, func(c Token) bool { return !principal.MayRevoke(c) })
		if len(children) == 0 {
			return t, nil
		}
		for _, c := range children {
			if _, err := s.RevokeToken(ctx, principal, org, c.ID, reason); err != nil {
				return Token{}, err
			}
		}
	}
}
