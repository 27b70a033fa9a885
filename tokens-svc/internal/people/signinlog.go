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

// recordSignIn records the outcome of an attempt to sign in, in the audit log of
// each organization of the account's owner. An attempt on an unknown account has
// no organization and is logged instead. Neither has the input. A success
// is recorded before it takes effect. A refusal is recorded after the response:
// otherwise response times would tell which accounts exist.
func (s *Service) recordSignIn(ctx context.Context, u User, method string, client ClientInfo, outcome error) error {
	if u.ID == "" {
		if !errors.Is(outcome, ErrRefused) {
			return nil
		}
		s.recording.Go(func() {
			s.log.WarnContext(ctx, "sign-in refused: unknown account", "address", client.Address, "request_id", client.RequestID)
		})
		return nil
	}
	e := s.about(audit.UserSignedIn, client.actor(u), u)
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
			s.log.ErrorContext(ctx, "an event is missing in the audit log",
				"error", fmt.Errorf("record a refused sign-in of user %s: %w", u.ID, err))
		}
	})
	return nil
}

// Wait returns when all refused attempts are recorded, which takes each at most
// recordBudget. No attempt may begin meanwhile.
func (s *Service) Wait() { s.recording.Wait() }

// SignedOut records that a person ended sessions of theirs: which says in words
// which ones.
func (s *Service) SignedOut(ctx context.Context, u User, client ClientInfo, which string) error {
	e := s.about(audit.UserSignedOut, client.actor(u), u)
	e.Details["sessions"] = which
	if err := s.repo.Record(ctx, u.ID, e); err != nil {
		return fmt.Errorf("record the end of a session: %w", err)
	}
	return nil
}
