package web

import (
	"context"
	"net/http"
	"slices"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// memberRow is a member in the list, with the roles that can be assigned.
type memberRow struct {
	people.Member
	Self       bool
	Assignable []tokens.Role // empty: nothing
	Removable  bool
}

// memberPage is the page Settings › Members, with its form for an invitation.
type memberPage struct {
	pages.Faults
	Members     []memberRow
	Self        memberRow
	Invitations []people.Invitation
	Roles       []tokens.Role // that this person may invite people as
	Email, Role string
	// Code is that of the invitation just made, which this answer alone shows.
	Code    string
	Invited people.Invitation
	Address string // where the code is entered
}

func (s *site) memberPage(ctx context.Context, v *visit) (*memberPage, error) {
	p := &memberPage{Roles: v.principal().Assignable(""), Role: string(tokens.RoleMember)}
	members, err := s.People.Members(ctx, v.org())
	if err != nil {
		return p, err
	}
	able := func(m people.Member) bool { return m.Role == tokens.RoleOwner && m.DisabledAt.IsZero() }
	owners := 0 // who can sign in
	for _, m := range members {
		if able(m) {
			owners++
		}
	}
	for _, m := range members {
		row := memberRow{Member: m, Self: m.ID == v.person.ID}
		others := owners
		if able(m) {
			others--
		}
		if m.Role != tokens.RoleOwner || others > 0 {
			row.Assignable = v.principal().Assignable(m.Role)
			row.Removable = row.Self || len(row.Assignable) > 0
		}
		if row.Self {
			p.Self = row
		}
		p.Members = append(p.Members, row)
	}
	if v.principal().Members {
		p.Invitations, err = s.People.Invitations(ctx, v.org())
	}
	return p, err
}

func (p *memberPage) answer() answer { return page("members", "Members", p) }

func (s *site) listMembers(ctx context.Context, v *visit) (answer, error) {
	p, err := s.memberPage(ctx, v)
	return p.answer(), err
}

func (s *site) invite(ctx context.Context, v *visit) (answer, error) {
	email, role := v.PostForm.Get("email"), v.PostForm.Get("role")
	invitation, code, refusedInvitation := s.People.Invite(ctx, v.principal(), v.org(), email, role)
	if refusedInvitation == nil && code == "" {
		return s.done(ctx, nil, v.path("/members"), "The invitation is on its way to "+invitation.Email+".")
	}
	p, err := s.memberPage(ctx, v)
	if err != nil {
		return answer{}, err
	}
	if err := refusedInvitation; err != nil {
		p.Email, p.Role = email, role
		return refused(err, "email", p.answer(),
			refusal{tokens.ErrExists, "email", "This person is already a member."})
	}
	p.Code, p.Invited, p.Address = code, invitation, s.PublicURL.JoinPath("/sign-in/invitation").String()
	a := p.answer()
	a.holdsSecret = true
	return a, nil
}

func (s *site) withdraw(ctx context.Context, v *visit) (answer, error) {
	err := s.People.Withdraw(ctx, v.principal(), v.org(), people.InvitationID(v.PathValue("invitation")))
	return s.done(ctx, err, v.path("/members"), "The invitation was withdrawn. Its code is no longer valid.")
}

func (s *site) changeRole(ctx context.Context, v *visit) (answer, error) {
	err := s.People.ChangeRole(ctx, v.principal(), v.org(), people.UserID(v.PathValue("user")), v.PostForm.Get("role"))
	if faultsOf(err) != nil {
		return errorPage(http.StatusBadRequest), nil
	}
	return s.done(ctx, err, v.path("/members"), "The role was changed. It applies from the member's next request.")
}

// lastOwner is the response to a change that would leave the organization without an owner.
func lastOwner(v *visit) answer {
	return problemPage(http.StatusConflict, pages.Problem{
		Heading: "An organization needs an owner", Text: "No changes were made. Make another member an owner first.",
		To: v.path("/members"), Link: "Back to members",
	})
}

func (s *site) showRemove(ctx context.Context, v *visit) (answer, error) {
	p, err := s.memberPage(ctx, v)
	if err != nil {
		return answer{}, err
	}
	at := slices.IndexFunc(p.Members, func(m memberRow) bool { return m.ID == people.UserID(v.PathValue("user")) })
	if at < 0 {
		return answer{}, tokens.ErrNotFound
	}
	m, title := p.Members[at], "Remove "+p.Members[at].Display()
	if m.Self {
		title = "Leave " + v.person.Membership.Organization.Name
	}
	switch {
	case !m.Self && !v.principal().MayAssign(m.Role, ""):
		return answer{}, tokens.ErrForbidden
	case !m.Removable:
		return answer{}, people.ErrLastOwner
	}
	return page("remove", title, m), nil
}

func (s *site) remove(ctx context.Context, v *visit) (answer, error) {
	id := people.UserID(v.PathValue("user"))
	err := s.People.Remove(ctx, v.principal(), v.org(), id)
	if id == v.person.ID {
		return s.done(ctx, err, "/settings", "You left "+v.person.Membership.Organization.Name+".")
	}
	return s.done(ctx, err, v.path("/members"),
		"The member was removed and no longer has access. Tokens that they own no longer have any permissions.")
}
