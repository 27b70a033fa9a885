package people

import (
	"context"
	"fmt"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

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
	var changed User // zero: nothing changes
	err := s.repo.ChangeMember(ctx, org, id, func(now Member, owners int) (tokens.Role, audit.Entry, error) {
		if now.Role != to {
			changed = now.User
		}
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
	if to != "" && changed.ID != "" && changed.ID != principal.user() {
		s.notifyRole(ctx, org, changed, principal.Actor)
	}
	return nil
}
