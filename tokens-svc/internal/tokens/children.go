package tokens

import (
	"context"
	"fmt"
	"slices"
)

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
