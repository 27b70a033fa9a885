package postgres_test

import (
	"errors"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// membership returns a person's in an organization, or tokens.ErrNotFound.
func membership(t *testing.T, s peopleStore, org tokens.OrgID, id people.UserID) (people.Membership, error) {
	t.Helper()
	all, err := s.Memberships(t.Context(), id)
	for _, m := range all {
		if m.Organization.ID == org {
			return m, err
		}
	}
	return people.Membership{}, errors.Join(err, tokens.ErrNotFound)
}

func otherOrganizationFindsNothing(t *testing.T, s peopleStore) {
	u := admit(t, s, "anna@acme.example", tokens.RoleOwner)
	for _, org := range []tokens.OrgID{otherOrg, unknown} {
		_, err := membership(t, s, org, u.ID)
		gives(t, err, tokens.ErrNotFound)
		members, err := s.Members(t.Context(), org)
		gives(t, err, nil)
		equal(t, members, []people.Member{})
		err = s.ChangeMember(t.Context(), org, u.ID, audit.CommandLine,
			func(tokens.Role, people.Member, int) (tokens.Role, audit.Entry, error) {
				t.Error("it was asked what to do")
				return "", audit.Entry{}, nil
			})
		gives(t, err, tokens.ErrNotFound)
	}
	i := invite(t, s, someOrg, "bert@acme.example", "code")
	gives(t, s.Withdraw(t.Context(), otherOrg, i.ID, entry(audit.InvitationWithdrawn, string(i.ID)),
		func(tokens.Role, people.Invitation) error { return nil }), tokens.ErrNotFound)
	equal(t, s.Events(t, otherOrg), 0)
}

func lastOwnerRemains(t *testing.T, s peopleStore) {
	users := []people.User{
		admit(t, s, "anna@acme.example", tokens.RoleOwner),
		admit(t, s, "bert@acme.example", tokens.RoleOwner),
	}
	lonely := errors.New("the last one")
	results := make([]error, len(users))
	together(len(users), func(i int) {
		results[i] = s.ChangeMember(t.Context(), someOrg, users[i].ID, audit.CommandLine,
			func(_ tokens.Role, _ people.Member, others int) (tokens.Role, audit.Entry, error) {
				if others == 0 {
					return "", audit.Entry{}, lonely
				}
				return tokens.RoleMember, entry(audit.MemberRoleChanged, string(users[i].ID)), nil
			})
	})
	if errors.Is(results[0], lonely) == errors.Is(results[1], lonely) {
		t.Errorf("%v, %v", results[0], results[1])
	}
}
