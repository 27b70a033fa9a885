package tokens

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Outcome is the result of an introspection.
type Outcome string

// The outcomes. Only OutcomeActive lets anybody in, and only OutcomeExpired and OutcomeRevoked may be disclosed to the
// caller, which presented the right secret. The rest is for operators.
const (
	OutcomeActive    Outcome = Outcome(StatusActive)
	OutcomeExpired   Outcome = Outcome(StatusExpired)
	OutcomeRevoked   Outcome = Outcome(StatusRevoked)
	OutcomeMalformed Outcome = "malformed" // no token: see Parse
	OutcomeUnknown   Outcome = "unknown"   // no token has this id
	OutcomeMismatch  Outcome = "mismatch"  // the id is known, the secret wrong
)

// Introspection is the result for a presented token.
type Introspection struct {
	Outcome Outcome
	ID      TokenID // the id in the presented token; "" if malformed
	// Token is set when the right secret was presented: with OutcomeActive, OutcomeExpired and OutcomeRevoked.
	Token Token
}

// Reason returns why a token with the right secret is refused, and "" for any other outcome.
func (i Introspection) Reason() string {
	if i.Outcome == OutcomeExpired || i.Outcome == OutcomeRevoked {
		return string(i.Outcome)
	}
	return ""
}

// Introspect reports whether a presented token is valid now. The zero Secret stands for a text that is no token. An
// error means that this is not known: the repository's ErrUnavailable, or a *PepperError, which is one, too.
func (s *Service) Introspect(ctx context.Context, presented Secret) (Introspection, error) {
	if presented.IsZero() {
		return Introspection{Outcome: OutcomeMalformed}, nil
	}
	id := presented.ID()
	t, stored, err := s.repo.FindToken(ctx, id)
	if errors.Is(err, ErrNotFound) {
		s.config.Peppers.Seal(presented) // as much work as for a token that exists
		return Introspection{Outcome: OutcomeUnknown, ID: id}, nil
	}
	if err != nil {
		return Introspection{}, fmt.Errorf("look up token %s: %w", id, err)
	}
	ok, known := s.config.Peppers.Verify(presented, stored)
	if !known && t.Status(s.Now()) == StatusActive {
		return Introspection{}, &PepperError{ID: id, Version: stored.Version}
	}
	if !ok { // also of a token that has ended and whose pepper was removed since
		return Introspection{Outcome: OutcomeMismatch, ID: id}, nil
	}
	outcome := Outcome(t.Status(s.Now()))
	if outcome == OutcomeActive && stored.Version < s.config.Peppers.Ring[0].Version && s.resealing.TryLock() {
		go s.reseal(context.WithoutCancel(ctx), id, stored, s.config.Peppers.Seal(presented))
	}
	return Introspection{Outcome: outcome, ID: id, Token: t}, nil
}

// resealTimeout is how long it may take to reseal a token.
const resealTimeout = 2 * time.Second

// reseal moves a token to the primary pepper, behind the request in which it is used, and unlocks s.resealing: one at a
// time, because it may wait for a change of the token with a connection that introspections need. A failure, or another
// token, is left to the next use. Tokens move to a higher version only: while a rolling restart changes the primary
// pepper, replicas with the old one do not move them back.
func (s *Service) reseal(ctx context.Context, id TokenID, old, sealed Digest) {
	defer s.resealing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, resealTimeout)
	defer cancel()
	_ = s.repo.Reseal(ctx, id, old, sealed)
}
