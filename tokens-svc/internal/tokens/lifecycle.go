package tokens

import (
	"context"
	"slices"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// How long a rotated token goes on working beside its successor.
const (
	DefaultGrace = 24 * time.Hour
	MaxGrace     = 7 * 24 * time.Hour
	// MinOwnGrace is the least for a token without the permission admin that
	// rotates itself: a stolen copy must not put out the original at once.
	MinOwnGrace = time.Hour
)

// Rotation is a token and the one whose place it takes.
type Rotation struct {
	Token    Token // the successor
	Secret   Secret
	Previous Token // good until its ExpiresAt
}

// RotateToken makes a successor of a token of org and returns its secret, which nothing can return again. The successor
// has the name, permissions, limits, ranges, environment, maker and owner of the old token, and lasts as long as that
// did when it was new: 90 days again for one made for 90 days. The successor that a token makes ends no later than the
// calling token, so that none prolongs its own life. The old one ends after grace, from 0 (at once) or MinOwnGrace to
// MaxGrace, or at its own end if that is earlier.
//
// A token is rotated once: of several attempts one succeeds. It gives ErrNotFound when org has no such token,
// ErrForbidden, a StateError for one that is rotated already or has ended, and a ValidationError.
func (s *Service) RotateToken(
	ctx context.Context, principal Principal, org OrgID, id TokenID, grace time.Duration,
) (Rotation, error) {
	var wrong ValidationError
	if grace < 0 || grace > MaxGrace {
		wrong.Add("grace_seconds", OutOfRange, "must be from 0 to %.0f", MaxGrace.Seconds())
		return Rotation{}, wrong.OrNil()
	}
	var done Rotation
	err := s.changeToken(ctx, &principal, org, id, func(tx Tx, t Token) error {
		if err := principal.mayChange(t, "rotate it"); err != nil {
			return err
		}
		now := s.Now()
		if err := t.changeable(now); err != nil {
			return err
		}
		if grace < MinOwnGrace && principal.is(t) && !slices.Contains(principal.grants, Admin) {
			wrong.Add("grace_seconds", OutOfRange,
				"must be at least %.0f when a token without admin rotates itself", MinOwnGrace.Seconds())
		}
		if !principal.is(t) {
			principal.checkGrants(&wrong, t.Permissions)
		}
		next := t.successor(principal, now)
		principal.checkWithin(&wrong, next)
		if err := wrong.OrNil(); err != nil {
			return err
		}
		done.Secret = Generate(t.Environment)
		next.ID = done.Secret.ID()
		t.RotatedTo, t.ExpiresAt = next.ID, earlier(t.ExpiresAt, now.Add(grace).Truncate(time.Second))
		done.Token, done.Previous = next, t
		if t.Status(now) == StatusActive { // beside its successor
			if err := s.checkActive(ctx, tx); err != nil {
				return err
			}
		}
		return s.storeRotation(ctx, tx, principal, &done)
	})
	if err != nil {
		return Rotation{}, err
	}
	return done, nil
}

// storeRotation stores both tokens, and gives them their revisions.
func (s *Service) storeRotation(ctx context.Context, tx Tx, principal Principal, r *Rotation) error {
	if err := tx.StoreKey(ctx, principal.key, r.Token.ID); err != nil {
		return err
	}
	err := s.recordMade(ctx, tx, r.Token, s.entry(principal, audit.TokenRotated, string(r.Previous.ID), map[string]string{
		"name": r.Previous.Name, "successor": string(r.Token.ID), "ends_at": instant(r.Previous.ExpiresAt),
		"successor_ends_at": instant(r.Token.ExpiresAt),
	}))
	if err != nil {
		return err
	}
	if r.Token.Revision, err = tx.Insert(ctx, r.Token, s.config.Peppers.Seal(r.Secret)); err != nil {
		return err
	}
	r.Previous.Revision, err = tx.Update(ctx, r.Previous, Rotated)
	return err
}

// successor returns the token that takes t's place, without its id.
func (t Token) successor(principal Principal, now time.Time) Token {
	next := t
	next.RotatedFrom, next.RotatedBy, next.CreatedAt = t.ID, principal.maker(), now
	if !t.ExpiresAt.IsZero() {
		next.ExpiresAt = now.Add(t.ExpiresAt.Sub(t.CreatedAt.Truncate(time.Second))).Truncate(time.Second)
	}
	next.ExpiresAt = earlier(principal.policy.Last(now).Truncate(time.Second), next.ExpiresAt)
	if principal.caller != nil && !principal.caller.ExpiresAt.IsZero() {
		next.ExpiresAt = earlier(next.ExpiresAt, principal.caller.ExpiresAt)
	}
	return next
}

// changeable returns a StateError unless t is active and was not rotated.
func (t Token) changeable(now time.Time) error {
	if status := t.Status(now); status != StatusActive || t.RotatedTo != "" {
		return &StateError{ID: t.ID, Status: status, Successor: t.RotatedTo}
	}
	return nil
}

// RevokeToken ends a token of org for good and returns it; with children also its Children, as far as the principal may
// revoke them, in one change. Revoking it again changes nothing, neither the time nor the reason. It gives ErrNotFound
// when org has no such token, ErrForbidden, and a ValidationError for the reason.
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

// Children returns the active tokens that were made by a token, by another one of its chain of rotations, or by
// such a child in turn: created, or rotated into.
func (s *Service) Children(ctx context.Context, t Token) ([]Token, error) {
	all, err := s.repo.Descendants(ctx, t.Organization.ID, t.Lineage)
	now := s.Now()
	return slices.DeleteFunc(all, func(t Token) bool { return t.Status(now) != StatusActive }), err
}
