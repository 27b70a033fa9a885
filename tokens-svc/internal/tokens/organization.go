package tokens

import (
	"context"
	"strconv"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// Policy is what an organization requires of its tokens, whoever makes or changes one: people
// and tokens, but not operators. What a token has already stays until it is widened; a successor
// lives as long as the policy allows. The zero Policy requires nothing.
type Policy struct {
	MaxDays          int   // the longest life of a token, from its creation; 0: any
	RequireAddresses bool  // the allowed addresses of a token are a small part of all
	OwnersGrantAdmin bool  // only owners, in person, grant the permission admin
	Version          int64 // grows with each change of the organization
}

// Last returns when a token that is created at a time must end; zero: never.
func (p Policy) Last(created time.Time) time.Time {
	if p.MaxDays == 0 {
		return time.Time{}
	}
	return created.AddDate(0, 0, p.MaxDays)
}

// Under returns the principal under the policy of the organization at hand.
func (p Principal) Under(policy Policy) Principal {
	p.policy = policy
	return p
}

// grantsAdmin reports whether the policy lets the principal give the permission admin.
func (p Principal) grantsAdmin() bool {
	return !p.policy.OwnersGrantAdmin || p.caller == nil && p.owner.Role == RoleOwner
}

// ChangeOrganization gives an organization a name and a policy, whose version is the one that
// the change is based on. It gives ErrNotFound, ErrForbidden, ErrChanged and a ValidationError.
func (s *Service) ChangeOrganization(
	ctx context.Context, principal Principal, org OrgID, name string, policy Policy,
) error {
	var wrong ValidationError
	name = wrong.Text("name", name, 1, maxName)
	if policy.MaxDays < 0 || policy.MaxDays > maxDays {
		wrong.Add("max_days", OutOfRange, "must be from 1 to %d", maxDays)
	}
	return s.change(ctx, &principal, org, func(tx Tx) error {
		if !principal.Owners {
			return principal.refuse("change the organization")
		}
		before := tx.Organization()
		if policy.Version != before.Policy.Version {
			return ErrChanged
		}
		if err := wrong.OrNil(); err != nil || name == before.Name && policy == before.Policy {
			return err
		}
		details := differences(before.Policy.describe(before.Name), policy.describe(name))
		if err := tx.Record(ctx, s.entry(principal, audit.OrganizationUpdated, string(org), details)); err != nil {
			return err
		}
		return tx.SetOrganization(ctx, name, policy)
	})
}

// describe returns the details of an organization for the audit log.
func (p Policy) describe(name string) map[string]string {
	days, admin := "any", "owners and admins"
	if p.MaxDays > 0 {
		days = strconv.Itoa(p.MaxDays)
	}
	if p.OwnersGrantAdmin {
		admin = "owners"
	}
	return map[string]string{
		"name": name, "max_token_days": days, "require_addresses": strconv.FormatBool(p.RequireAddresses),
		"admin_granted_by": admin,
	}
}
