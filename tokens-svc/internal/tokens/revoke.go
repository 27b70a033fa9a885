package tokens

import (
	"context"
	"fmt"
	"slices"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

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
	var t Token
	err := s.changeToken(ctx, &principal, org, id, func(tx Tx, found Token) (err error) {
		t = found
		if !principal.MaySee(t) {
			return ErrNotFound
		}
		if !principal.MayRevoke(t) {
			return principal.refuse("revoke it")
		}
		if err := tx.StoreKey(ctx, principal.key, id); err != nil {
			return err
		}
		ending := []Token{t}
		if children {
			made, err := tx.Descendants(ctx, t.Lineage)
			if err != nil {
				return err
			}
			ending = append(ending, made...)
		}
		now := s.Now()
		var ids []TokenID
		var entries []audit.Entry
		for _, one := range ending {
			if !one.RevokedAt.IsZero() || one.ID != id && (one.Status(now) != StatusActive || !principal.MayRevoke(one)) {
				continue
			}
			details := map[string]string{"name": one.Name}
			if reason != "" {
				details["reason"] = reason
			}
			ids, entries = append(ids, one.ID), append(entries, s.entry(principal, audit.TokenRevoked, string(one.ID), details))
		}
		if len(ids) == 0 {
			return nil
		}
		if err := tx.Record(ctx, entries...); err != nil {
			return err
		}
		if err := tx.Revoke(ctx, ids, now, reason); err != nil {
			return err
		}
		t, err = tx.Token(ctx, id)
		return err
	})
	if err != nil {
		return Token{}, err
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
