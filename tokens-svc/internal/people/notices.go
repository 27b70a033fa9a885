package people

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Notices are mails about security events of an account, and about tokens that expire. They are
// sent after the commit, at most once: one that fails, or is cut off by the end of the program, is
// logged and not retried.

// background sends a mail; the response does not wait for it.
func (s *Service) background(ctx context.Context, send func(context.Context) error) {
	if s.mail == nil {
		return
	}
	s.recording.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mailTimeout)
		defer cancel()
		if err := send(ctx); err != nil {
			s.log.ErrorContext(ctx, "a mail was not sent", "error", err)
		}
	})
}

// NotifyMade tells the holder of a token that a program or person made it, in their name.
func (s *Service) NotifyMade(ctx context.Context, actor audit.Actor, t tokens.Token) {
	s.background(ctx, func(ctx context.Context) error {
		return s.toHolders(ctx, actor, t, func(ctx context.Context, to string) error {
			return s.mail.SendMade(ctx, to, actor, t)
		})
	})
}

// NotifyExpiring tells the holders of tokens that end within tokens.ExpiringWithin, each once.
func (s *Service) NotifyExpiring(ctx context.Context) error {
	if s.mail == nil {
		return nil
	}
	ending, err := s.repo.ClaimExpiring(ctx, s.Now(), s.Now().Add(tokens.ExpiringWithin))
	if err != nil {
		return fmt.Errorf("tokens that expire: %w", err)
	}
	var failed []error
	for _, t := range ending {
		ctx, cancel := context.WithTimeout(ctx, mailTimeout)
		failed = append(failed, s.toHolders(ctx, t.CreatedBy, t, func(ctx context.Context, to string) error {
			return s.mail.SendExpiring(ctx, to, t)
		}))
		cancel()
	}
	return errors.Join(failed...)
}

// toHolders calls send with the address of the person whose token it is: its owner, or who
// made that of an organization; or else with those of all owners of the organization.
func (s *Service) toHolders(
	ctx context.Context, maker audit.Actor, t tokens.Token, send func(ctx context.Context, to string) error,
) error {
	if !t.Owner.IsOrganization() {
		return send(ctx, t.Owner.Name)
	}
	members, err := s.Members(ctx, t.Organization.ID)
	if err != nil {
		return fmt.Errorf("members of organization %s: %w", t.Organization.ID, err)
	}
	var owners []string
	for _, m := range members {
		if maker.Kind == audit.User && string(m.ID) == maker.ID {
			return send(ctx, m.Email)
		}
		if m.Role == tokens.RoleOwner {
			owners = append(owners, m.Email)
		}
	}
	var failed []error
	for _, to := range owners {
		failed = append(failed, send(ctx, to))
	}
	return errors.Join(failed...)
}

// notifySignIn tells a person of a sign-in in a browser that they did not use before.
func (s *Service) notifySignIn(ctx context.Context, u User, client ClientInfo, at time.Time) {
	s.background(ctx, func(ctx context.Context) error { return s.mail.SendSignIn(ctx, u.Email, client, at) })
}

// notifyFactor tells a person of a change of how they sign in.
func (s *Service) notifyFactor(ctx context.Context, u User, change string, client ClientInfo) {
	at := s.Now()
	s.background(ctx, func(ctx context.Context) error { return s.mail.SendFactor(ctx, u.Email, change, client, at) })
}

// notifyRole tells a member of their new role.
func (s *Service) notifyRole(ctx context.Context, org tokens.OrgID, u User, by audit.Actor) {
	s.background(ctx, func(ctx context.Context) error {
		all, err := s.Memberships(ctx, u.ID)
		for _, m := range all {
			if m.Organization.ID == org {
				return s.mail.SendRole(ctx, u.Email, m, by)
			}
		}
		return err
	})
}
