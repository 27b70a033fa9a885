package people

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// recordBudget bounds how long a refused attempt to sign in is being recorded.
const recordBudget = 5 * time.Second

// recordSignIn records what became of an attempt to sign in as somebody who has
// an account, in the audit log of each of their organizations. It never records
// what was typed. A success is recorded before it takes effect. A refusal is
// recorded behind the response: otherwise the time that it takes would tell
// which accounts there are.
func (s *Service) recordSignIn(ctx context.Context, u User, method string, from From, outcome error) error {
	if u.ID == "" {
		return nil
	}
	e := s.about(audit.UserSignedIn, from.actor(u), u)
	e.Details["method"] = method
	switch {
	case outcome == nil:
		if err := s.repo.Record(ctx, u.ID, e); err != nil {
			return fmt.Errorf("record a sign-in: %w", err)
		}
		return nil
	case errors.Is(outcome, ErrRefused):
		e.Details["reason"] = "wrong password"
	case errors.Is(outcome, ErrDisabled):
		e.Details["reason"] = "account disabled"
	default:
		return nil
	}
	e.Action = audit.UserSignInFailed
	s.recording.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordBudget)
		defer cancel()
		if err := s.repo.Record(ctx, u.ID, e); err != nil {
			s.notRecorded(fmt.Errorf("record a refused sign-in of user %s: %w", u.ID, err))
		}
	})
	return nil
}

// Wait returns when everything that happened is recorded.
func (s *Service) Wait() { s.recording.Wait() }

// SignedOut records that a person ended sessions of theirs: which says in words
// which ones.
func (s *Service) SignedOut(ctx context.Context, u User, from From, which string) error {
	e := s.about(audit.UserSignedOut, from.actor(u), u)
	e.Details["sessions"] = which
	if err := s.repo.Record(ctx, u.ID, e); err != nil {
		return fmt.Errorf("record the end of a session: %w", err)
	}
	return nil
}
