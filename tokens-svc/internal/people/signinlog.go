package people

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// recordTimeout bounds how long a refused attempt to sign in is being recorded.
const recordTimeout = 5 * time.Second

// How a person proves who they are, as audit events name it.
const (
	methodPassword = "password"
	methodIssuer   = "issuer"
	methodChange   = "change of password" // the current password, of a person who is signed in
)

// SignIns returns the newest n events of a person's own audit log, newest first:
// attempts to sign in, and sessions that they ended.
func (s *Service) SignIns(ctx context.Context, id UserID, n int) ([]audit.Event, error) {
	events, err := s.repo.SignIns(ctx, id, n)
	if err != nil {
		return nil, fmt.Errorf("sign-ins of user %s: %w", id, err)
	}
	return events, nil
}

// recordSignIn records the outcome of an attempt to sign in, in the audit log of
// the account. An attempt on an unknown account is logged instead. Neither has the
// input. A success
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
	e := s.about(audit.UserSignedIn, client.Actor(u), u)
	e.Details["method"] = method
	if outcome == nil {
		if err := s.repo.Record(ctx, u.ID, e); err != nil {
			return fmt.Errorf("record a sign-in: %w", err)
		}
		return nil
	}
	e.Action = audit.UserSignInFailed
	_, throttled := errors.AsType[*ThrottledError](outcome)
	switch {
	case throttled:
		e.Details["reason"] = "too many attempts"
	case errors.Is(outcome, ErrRefused):
		e.Details["reason"] = "wrong password"
	case errors.Is(outcome, ErrDisabled):
		e.Details["reason"] = "account disabled"
	case errors.Is(outcome, ErrLinkedElsewhere):
		e.Details["reason"] = "linked to another identity"
	default:
		return nil
	}
	s.recording.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
		defer cancel()
		if err := s.recordRefusal(ctx, u, e, throttled || method == methodIssuer); err != nil {
			s.log.ErrorContext(ctx, "an event is missing in the audit log",
				"error", fmt.Errorf("record a refused sign-in of user %s: %w", u.ID, err))
		}
	})
	return nil
}

// recordRefusal records a refused attempt. once records one in each AttemptWindow
// for an account, method and reason: it is for attempts that no limit bounds, so
// that they cannot flood the audit log.
func (s *Service) recordRefusal(ctx context.Context, u User, e audit.Entry, once bool) error {
	if once {
		n, _, err := s.repo.Attempt(ctx, newCount(1, false, "event", string(u.ID), e.Details["method"],
			e.Details["reason"]).key, e.At, AttemptWindow)
		if err != nil || n > 1 {
			return err
		}
	}
	return s.repo.Record(ctx, u.ID, e)
}

// Wait returns when all refused attempts are recorded, which takes each at most
// recordTimeout. No attempt may begin meanwhile.
func (s *Service) Wait() { s.recording.Wait() }

// SignedOut records that a person ended their own sessions: which describes
// which ones.
func (s *Service) SignedOut(ctx context.Context, u User, client ClientInfo, which string) error {
	e := s.about(audit.UserSignedOut, client.Actor(u), u)
	e.Details["sessions"] = which
	if err := s.repo.Record(ctx, u.ID, e); err != nil {
		return fmt.Errorf("record the end of a session: %w", err)
	}
	return nil
}
