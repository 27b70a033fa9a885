package tokens

import (
	"context"
	"fmt"
)

// BoundsError reports that a stored token was altered outside of this program: the MAC
// of its bounds is missing or belongs to other values, or its data also belongs to
// another organization.
type BoundsError struct {
	ID     TokenID
	Reason string
}

// Error implements error.
func (e *BoundsError) Error() string {
	return fmt.Sprintf("token %s was altered in the database: %s", e.ID, e.Reason)
}

// checkBounds returns a *BoundsError for a token that was altered, and a
// *PepperError where that cannot be checked. A token without a MAC is good as
// long as old tokens are still being sealed.
func (s *Service) checkBounds(t Token) error {
	if err := t.checkPartition(); err != nil {
		return err
	}
	if t.Bounds.Version == 0 {
		if s.sealOld {
			return nil
		}
		return &BoundsError{ID: t.ID, Reason: "the MAC of its bounds is missing"}
	}
	switch ok, known := s.peppers.VerifyBounds(t); {
	case !known:
		return &PepperError{ID: t.ID, Version: t.Bounds.Version}
	case !ok:
		return &BoundsError{ID: t.ID, Reason: "its bounds do not have their MAC"}
	}
	return nil
}

// changeToken is the repository's ChangeToken for tokens that are as they were
// written, and seals what decide returns. A token that was altered can be
// revoked, which seals it as it is, and nothing else.
func (s *Service) changeToken(ctx context.Context, org OrgID, id TokenID, k *Key, decide func(Token) (Step, error)) (Step, error) {
	done, err := s.repo.ChangeToken(ctx, org, id, k, func(t Token) (Step, error) {
		step, err := decide(t)
		if err != nil || step.Kind == "" {
			return step, err
		}
		if step.Kind != Revoked {
			if err := s.checkBounds(t); err != nil {
				return Step{}, err
			}
		}
		step.Token.Bounds = s.peppers.SealBounds(step.Token)
		if step.Kind == Rotated {
			step.Successor.Bounds = s.peppers.SealBounds(step.Successor)
		}
		return step, nil
	})
	if err != nil {
		return Step{}, fmt.Errorf("token %s of organization %s: %w", id, org, err)
	}
	return done, nil
}

// sealBatch is how many old tokens are read at once.
const sealBatch = 500

// SealOldTokens gives the tokens that have no MAC of their bounds one, as they
// are, and returns how many those were.
func (s *Service) SealOldTokens(ctx context.Context) (sealed int, err error) {
	for after := TokenID(""); ; {
		batch, err := s.repo.UnsealedTokens(ctx, after, sealBatch)
		if err != nil {
			return sealed, fmt.Errorf("tokens without a MAC of their bounds: %w", err)
		}
		for _, t := range batch {
			after = t.ID
			if t.checkPartition() != nil {
				continue // altered: to be revoked
			}
			if err := s.repo.SealBounds(ctx, t.ID, t.Revision, s.peppers.SealBounds(t)); err != nil {
				return sealed, fmt.Errorf("seal token %s: %w", t.ID, err)
			}
			sealed++
		}
		if len(batch) < sealBatch {
			return sealed, nil
		}
	}
}
