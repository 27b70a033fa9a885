package web

import (
	"context"
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/people"
)

// invitationForm is the page on which an invited person enters the code.
type invitationForm struct {
	pages.Faults
	Email, Name string
}

func (f invitationForm) with(all faults) answer {
	f.Faults = all
	return page("invitation", "Accept an invitation", f)
}

func (s *site) showInvitation(context.Context, *visit) (answer, error) {
	if !s.Passwords {
		return redirect("/sign-in"), nil
	}
	return invitationForm{}.with(nil), nil
}

func (s *site) acceptInvitation(ctx context.Context, v *visit) (answer, error) {
	f := invitationForm{Email: v.PostForm.Get("email"), Name: v.PostForm.Get("name")}
	a := people.Acceptance{
		Email: f.Email, Name: f.Name, Code: v.PostForm.Get("code"), Password: v.PostForm.Get("password"),
	}
	empty := v.empty(fault{Field: "email", Text: "Enter the invited e-mail address."},
		fault{Field: "code", Text: "Enter the invitation code."}, fault{Field: "password", Text: "Enter a password."})
	if empty != nil {
		return f.with(empty), nil
	}
	user, org, err := s.People.Accept(ctx, a, v.client())
	if err != nil {
		return refused(err, "email", f.with,
			refusal{
				people.ErrCode, http.StatusUnprocessableEntity, "code",
				"This code isn't valid for this e-mail address. The invitation may have been used, withdrawn, replaced, or " +
					"expired after 7 days.",
			},
			refusal{
				people.ErrRefused, http.StatusUnprocessableEntity, "password",
				"An account with this e-mail address already exists. Enter its password; the invitation doesn't change it. " +
					"If you didn't create that account, ask your Quayside administrator to verify your address.",
			},
			refusal{
				people.ErrAccountUnverified, http.StatusConflict, "email",
				"An account with this e-mail address exists, but its address isn't verified, so it can't join another " +
					"organization. " +
					"Ask your Quayside administrator to verify your address, then accept the invitation with the new password.",
			},
			refusal{people.ErrDisabled, http.StatusForbidden, "email", disabledText})
	}
	return s.afterPassword(ctx, user, home+"/"+string(org))
}

// chooseOrganization lets people choose an organization and accept invitations.
func (s *site) chooseOrganization(ctx context.Context, v *visit) (answer, error) {
	offers, err := s.People.Offers(ctx, v.user)
	return page("organizations", "Your organizations", offers), err
}

// joinOrganization accepts an invitation.
func (s *site) joinOrganization(ctx context.Context, v *visit) (answer, error) {
	org, err := s.People.Join(ctx, v.user, people.InvitationID(v.PostForm.Get("invitation")), v.client())
	if err != nil {
		return answer{}, err
	}
	return redirect(home + "/" + string(org)), nil
}

// declineInvitation ends an invitation of the user.
func (s *site) declineInvitation(ctx context.Context, v *visit) (answer, error) {
	declined, err := s.People.Decline(ctx, v.user, people.InvitationID(v.PostForm.Get("invitation")), v.client())
	if err != nil {
		return answer{}, err
	}
	s.notify(ctx, "You declined the invitation to "+declined.OrganizationName+".")
	return redirect("/settings"), nil
}

func (s *site) toAPI(_ context.Context, v *visit) (answer, error) {
	return redirect(v.path("/api")), nil
}
