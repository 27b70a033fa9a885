package web

import (
	"context"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/people"
)

// invitationForm is the page on which an invited person enters the code.
type invitationForm struct {
	pages.Faults
	Email, Name string
}

func (s *site) showInvitation(_ context.Context, v *visit) (answer, error) {
	if !s.Passwords {
		return redirect("/sign-in"), nil
	}
	return invitationPage(v), nil
}

func invitationPage(v *visit) answer {
	f := &invitationForm{Email: v.PostForm.Get("email"), Name: v.PostForm.Get("name")}
	return page("invitation", "Accept an invitation", f)
}

var invitationRefusals = []refusal{
	{
		people.ErrCode, "code",
		"This code isn't valid for this e-mail address. The invitation may have been used, withdrawn, replaced, or " +
			"expired after 7 days.",
	},
	{
		people.ErrRefused, "password",
		"An account with this e-mail address already exists. Enter its password; the invitation doesn't change it. " +
			"If you didn't create that account, ask your Quayside administrator to verify your address.",
	},
	{
		people.ErrAccountUnverified, "email",
		"An account with this e-mail address exists, but its address isn't verified, so it can't join another " +
			"organization. Ask your Quayside administrator to verify your address, then accept the invitation with " +
			"the new password.",
	},
}

func (s *site) acceptInvitation(ctx context.Context, v *visit) (answer, error) {
	form := invitationPage(v)
	if empty := v.empty("email", "code", "password"); empty != nil {
		return form.with(empty...), nil
	}
	user, org, err := s.People.Accept(ctx, people.Acceptance{
		Email: v.PostForm.Get("email"), Name: v.PostForm.Get("name"),
		Code: v.PostForm.Get("code"), Password: v.PostForm.Get("password"),
	}, v.client())
	if err != nil {
		return refused(err, "email", form, invitationRefusals...)
	}
	return s.afterPassword(ctx, v, user, home+"/"+string(org))
}

// chooseOrganization lets people choose an organization and accept invitations.
func (s *site) chooseOrganization(ctx context.Context, v *visit) (answer, error) {
	offers, err := s.People.Offers(ctx, v.person.User)
	return page("organizations", "Your organizations", offers), err
}

// joinOrganization accepts an invitation.
func (s *site) joinOrganization(ctx context.Context, v *visit) (answer, error) {
	org, err := s.People.Join(ctx, v.person.User, people.InvitationID(v.PostForm.Get("invitation")), v.client())
	return redirect(home + "/" + string(org)), err
}

// declineInvitation ends an invitation of the user.
func (s *site) declineInvitation(ctx context.Context, v *visit) (answer, error) {
	declined, err := s.People.Decline(ctx, v.person.User, people.InvitationID(v.PostForm.Get("invitation")), v.client())
	return s.done(ctx, err, "/settings", "You declined the invitation to "+declined.OrganizationName+".")
}

// emailForm is a form with an e-mail address.
type emailForm struct {
	pages.Faults
	Email string
}

func forgotPage(v *visit) answer {
	return page("forgot", "Reset your password", &emailForm{Email: v.PostForm.Get("email")})
}

func resetPage(v *visit) answer {
	return page("reset", "Choose a new password", &emailForm{Email: v.PostForm.Get("email")})
}

func verifyPage(*visit) answer {
	return page("verify", "Verify your e-mail address", new(pages.Faults))
}

// show returns the route that shows a form.
func show(form func(*visit) answer) func(*site, context.Context, *visit) (answer, error) {
	return func(_ *site, _ context.Context, v *visit) (answer, error) { return form(v), nil }
}

// wrongCode is the refusal of the forms for mailed codes.
var wrongCode = refusal{
	people.ErrCode, "code",
	"This code isn't valid. It works once, within 30 minutes, and only the newest one does.",
}

// requestReset answers alike whether there is such an account or not.
func (s *site) requestReset(ctx context.Context, v *visit) (answer, error) {
	if empty := v.empty("email"); empty != nil {
		return forgotPage(v).with(empty...), nil
	}
	if err := s.People.RequestReset(ctx, v.PostForm.Get("email"), v.client()); err != nil {
		return refused(err, "email", forgotPage(v))
	}
	return resetPage(v), nil
}

func (s *site) resetPassword(ctx context.Context, v *visit) (answer, error) {
	if empty := v.empty("email", "code", "password"); empty != nil {
		return resetPage(v).with(empty...), nil
	}
	email, code, password := v.PostForm.Get("email"), v.PostForm.Get("code"), v.PostForm.Get("password")
	user, err := s.People.ResetPassword(ctx, email, code, password, v.client())
	if err != nil {
		return refused(err, "code", resetPage(v), wrongCode)
	}
	return redirect("/sign-in?reset=1"), s.markDevice(ctx, v, user)
}

func (s *site) requestVerification(ctx context.Context, v *visit) (answer, error) {
	if err := s.People.RequestVerification(ctx, v.person.User, v.client()); err != nil {
		return refused(err, "code", verifyPage(v))
	}
	return s.done(ctx, nil, "/settings/verify", "A code is on its way to "+v.person.Email+".")
}

func (s *site) verifyAddress(ctx context.Context, v *visit) (answer, error) {
	if err := s.People.VerifyAddress(ctx, v.person.User, v.PostForm.Get("code"), v.client()); err != nil {
		return refused(err, "code", verifyPage(v), wrongCode)
	}
	return s.done(ctx, nil, "/settings", "Your e-mail address is verified.")
}
