package web

import (
	"context"

	"github.com/quayside/quayside/tokens-svc/internal/people"
)

// chooseOrganization lets people choose an organization and accept invitations.
// It redirects members of one organization without an invitation to it.
func (s *site) chooseOrganization(ctx context.Context, v *visit) (answer, error) {
	offers, err := s.People.Offers(ctx, v.user)
	if err != nil {
		return answer{}, err
	}
	if len(v.memberships) == 1 && len(offers) == 0 {
		v.current = v.memberships[0]
		return redirect(v.path("/api")), nil
	}
	return page("organizations", "Organizations", offers), nil
}

// joinOrganization accepts an invitation.
func (s *site) joinOrganization(ctx context.Context, v *visit) (answer, error) {
	org, err := s.People.Join(ctx, v.user, people.InvitationID(v.PostForm.Get("invitation")), v.client())
	if err != nil {
		return answer{}, err
	}
	return redirect("/settings/" + string(org) + "/api"), nil
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
