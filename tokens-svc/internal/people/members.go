package people

import (
	"context"
	"fmt"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Memberships returns the organizations of a person, by name.
func (s *Service) Memberships(ctx context.Context, id UserID) ([]Membership, error) {
	all, err := s.repo.Memberships(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("organizations of user %s: %w", id, err)
	}
	return all, nil
}

// Members returns the people of an organization, by e-mail address.
func (s *Service) Members(ctx context.Context, org tokens.OrgID) ([]Member, error) {
	all, err := s.repo.Members(ctx, org)
	if err != nil {
		return nil, fmt.Errorf("members of organization %s: %w", org, err)
	}
	return all, nil
}

// ChangeRole gives a member another role. It gives ErrForbidden, ErrLastOwner,
// tokens.ErrNotFound and a tokens.ValidationError.
func (s *Service) ChangeRole(ctx context.Context, principal Principal, org tokens.OrgID, id UserID, role string) error {
	if !principal.Role.ManagesMembers() {
		return ErrForbidden
	}
	to, err := tokens.ParseRole(role)
	if err != nil {
		var wrong faults
		wrong.Add("role", tokens.InvalidValue, "%v", err)
		return wrong.OrNil()
	}
	return s.change(ctx, principal, org, id, to)
}

// Remove takes a person out of an organization, also at their own wish, whatever
// their role; their account stays, and so do the tokens that they own, which may
// do nothing any more. It gives ErrForbidden, ErrLastOwner and tokens.ErrNotFound.
func (s *Service) Remove(ctx context.Context, principal Principal, org tokens.OrgID, id UserID) error {
	return s.change(ctx, principal, org, id, "")
}

func (s *Service) change(ctx context.Context, principal Principal, org tokens.OrgID, id UserID, to tokens.Role) error {
	err := s.repo.ChangeMember(ctx, org, id, func(now Member, owners int) (tokens.Role, audit.Entry, error) {
		switch {
		case !principal.Role.MayAssign(now.Role, to) && (to != "" || principal.user() != id):
			return "", audit.Entry{}, ErrForbidden
		case now.Role == tokens.RoleOwner && to != tokens.RoleOwner && owners == 1:
			return "", audit.Entry{}, ErrLastOwner
		}
		action, details := audit.MemberRemoved, map[string]string{"email": now.Email, "from": string(now.Role)}
		if to != "" {
			action, details["to"] = audit.MemberRoleChanged, string(to)
		}
		return to, s.entry(action, principal.Actor, string(id), details), nil
	})
	if err != nil {
		return fmt.Errorf("user %s in organization %s: %w", id, org, err)
	}
	return nil
}
