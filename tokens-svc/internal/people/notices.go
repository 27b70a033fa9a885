package people

import (
	"context"
	"errors"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Notices are mails about security events of an account, and about tokens that expire. They are
// sent after the commit, at most once: one that fails, or is cut off by the end of the program, is
// logged and not retried.

// notify sends a notice of what happened now.
func (s *Service) notify(ctx context.Context, to, name string, l Letter) {
	l.At = s.Now()
	s.background(ctx, func(ctx context.Context) error { return s.config.Mail.Send(ctx, to, name, l) })
}

// background sends a mail; the response does not wait for it.
func (s *Service) background(ctx context.Context, send func(context.Context) error) {
	if s.config.Mail == nil {
		return
	}
	s.recording.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mailTimeout)
		defer cancel()
		if err := send(ctx); err != nil {
			s.config.Log.ErrorContext(ctx, "a mail was not sent", "error", err)
		}
	})
}

// NotifyMade tells the holder of a token that a program or person made it, in their name.
func (s *Service) NotifyMade(ctx context.Context, actor audit.Actor, t tokens.Token) {
	s.background(ctx, func(ctx context.Context) error { return s.sendHolders(ctx, "made", t, actor) })
}

// NotifyExpiring tells the holders of tokens that end within tokens.ExpiringWithin, each once.
func (s *Service) NotifyExpiring(ctx context.Context) error {
	if s.config.Mail == nil {
		return nil
	}
	ending, err := s.repo.ClaimExpiring(ctx, s.Now(), s.Now().Add(tokens.ExpiringWithin))
	if err != nil {
		return err
	}
	var failed []error
	for _, t := range ending {
		ctx, cancel := context.WithTimeout(ctx, mailTimeout)
		failed = append(failed, s.sendHolders(ctx, "expiring", t, t.CreatedBy))
		cancel()
	}
	return errors.Join(failed...)
}

// sendHolders sends a mail to the person whose token it is: its owner, or who made that of an
// organization; or else to all owners of the organization.
func (s *Service) sendHolders(ctx context.Context, name string, t tokens.Token, maker audit.Actor) error {
	to := []string{t.Owner.Name}
	if t.Owner.IsOrganization() {
		members, err := s.Members(ctx, t.Organization.ID)
		if err != nil {
			return err
		}
		to = nil
		for _, m := range members {
			if maker.Kind == audit.User && string(m.ID) == maker.ID {
				to = []string{m.Email}
				break
			}
			if m.Role == tokens.RoleOwner {
				to = append(to, m.Email)
			}
		}
	}
	var failed []error
	for _, address := range to {
		failed = append(failed, s.config.Mail.Send(ctx, address, name, Letter{Token: t, By: maker}))
	}
	return errors.Join(failed...)
}
