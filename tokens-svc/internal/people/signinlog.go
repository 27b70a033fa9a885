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
	methodCode     = "code"
	methodRecovery = "recovery code"
	methodPasskey  = "passkey"
	methodIssuer   = "issuer"
	methodChange   = "change of password" // the current password, of a person who is signed in
)

// recordSignIn records the outcome of an attempt to sign in, in the audit log of
// the account. An attempt on an unknown account is logged instead, and one too many is
// not recorded: those before it are. Neither has the input. A success is recorded before
// it takes effect. A refusal is recorded after the response: otherwise response times
// would tell which accounts exist.
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
	switch {
	case errors.Is(outcome, ErrRefused):
		e.Details["reason"] = "wrong password"
	case errors.Is(outcome, ErrFactor):
		e.Details["reason"] = "wrong " + method
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
		if err := s.repo.Record(ctx, u.ID, e); err != nil {
			s.log.ErrorContext(ctx, "an event is missing in the audit log",
				"error", fmt.Errorf("record a refused sign-in of user %s: %w", u.ID, err))
		}
	})
	return nil
}

// Wait returns when all refused attempts are recorded and all mails sent, which takes each at
// most mailTimeout. None may begin meanwhile.
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
