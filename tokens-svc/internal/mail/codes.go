package mail

import (
	"context"
	"fmt"
	"net/url"

	"github.com/quayside/quayside/tokens-svc/internal/people"
)

var _ people.Mail = (*Server)(nil)

// SendInvitation implements people.Mail.
func (s *Server) SendInvitation(ctx context.Context, o people.Offer, code string) error {
	return s.Send(ctx, o.Email, "Invitation to "+o.OrganizationName, fmt.Sprintf(
		`%s invited you to %s on Quayside, as %s.

Open this page to accept:
%s

Your invitation code is
%s

It works once, until %s. If you don't expect this invitation, ignore it.
`, o.InvitedBy, o.OrganizationName, o.Role, s.link("/sign-in/invitation", o.Email, code), code,
		o.ExpiresAt.Format("2 Jan 2006, 15:04 UTC")))
}

// SendReset implements people.Mail.
func (s *Server) SendReset(ctx context.Context, email, code string) error {
	return s.Send(ctx, email, "Reset your Quayside password", fmt.Sprintf(
		`Open this page to choose a new password:
%s

Your code is
%s

It works once, within %d minutes. If you didn't ask for it, ignore this mail: your
password stays as it is.
`, s.link("/sign-in/reset", email, code), code, int(people.CodeLife.Minutes())))
}

// SendVerification implements people.Mail.
func (s *Server) SendVerification(ctx context.Context, email, code string) error {
	return s.Send(ctx, email, "Verify your e-mail address", fmt.Sprintf(
		`Enter this code on the page on which you asked for it, within %d minutes:

%s

If you didn't ask for it, ignore this mail.
`, int(people.CodeLife.Minutes()), code))
}

// link returns the address of a page whose form the fragment fills in.
func (s *Server) link(path, email, code string) string {
	return s.public.JoinPath(path).String() + "#" + url.Values{"email": {email}, "code": {code}}.Encode()
}
