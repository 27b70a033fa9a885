package mail

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

const minute = "2 Jan 2006, 15:04 UTC"

// SendMade implements people.Mail.
func (s *Server) SendMade(ctx context.Context, to string, actor audit.Actor, t tokens.Token) error {
	what := "created"
	if t.RotatedFrom != "" {
		what = "made by a rotation"
	}
	return s.Send(ctx, to, "API token "+t.Name+" of "+t.Organization.Name, fmt.Sprintf(
		`The API token %s (%s) of %s was %s by %s%s.

If you don't expect that, revoke it:
%s
`, t.Name, t.ID, t.Organization.Name, what, actor.Name, from(actor.Address), s.tokenPage(t)))
}

// SendExpiring implements people.Mail.
func (s *Server) SendExpiring(ctx context.Context, to string, t tokens.Token) error {
	return s.Send(ctx, to, "API token "+t.Name+" of "+t.Organization.Name+" expires soon", fmt.Sprintf(
		`The API token %s (%s) of %s expires on %s. Programs that use it get 401 from then on.

Rotate it, or let it expire:
%s
`, t.Name, t.ID, t.Organization.Name, t.ExpiresAt.Format(minute), s.tokenPage(t)))
}

// SendSignIn implements people.Mail.
func (s *Server) SendSignIn(ctx context.Context, to string, client people.ClientInfo, at time.Time) error {
	return s.Send(ctx, to, "New sign-in to Quayside", fmt.Sprintf(
		`Your account was used to sign in in a browser that it was not used in before, on %s%s.

If that wasn't you, change your password:
%s
`, at.Format(minute), from(client.Address), s.public.JoinPath("/settings/password")))
}

// SendFactor implements people.Mail.
func (s *Server) SendFactor(ctx context.Context, to, change string, client people.ClientInfo, at time.Time) error {
	return s.Send(ctx, to, "Sign-in security of your Quayside account", fmt.Sprintf(
		`%s On %s%s.

If that wasn't you, change your password and check your sign-in security:
%s
`, change, at.Format(minute), from(client.Address), s.public.JoinPath("/settings/security")))
}

// SendRole implements people.Mail.
func (s *Server) SendRole(ctx context.Context, to string, m people.Membership, by audit.Actor) error {
	return s.Send(ctx, to, "Your role in "+m.Organization.Name, fmt.Sprintf(
		`%s changed your role in %s to %s: %s.
`, by.Name, m.Organization.Name, m.Role, m.Role.Text()))
}

func (s *Server) tokenPage(t tokens.Token) string {
	return s.public.JoinPath("settings", string(t.Organization.ID), "api", string(t.ID)).String()
}

func from(a netip.Addr) string {
	if !a.IsValid() {
		return ""
	}
	return ", from " + a.String()
}
